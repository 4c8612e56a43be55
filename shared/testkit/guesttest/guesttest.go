// Package guesttest has the cases of guests' names and e-mail addresses, which all routes that take them must decide alike.
package guesttest

import "strings"

// A Case is a guest's text and whether it is valid.
type Case struct {
	Text  string
	Valid bool
}

// Emails returns addresses for e-mail. Spaces around an address are trimmed.
func Emails() (all []Case) {
	long, spaces := strings.Repeat("a", 63), strings.Repeat(" ", 200)
	longest := long + "a@" + long + "." + long + "." + long[2:] // 254 bytes
	for _, text := range []string{
		"zahra@example.af", "ZAHRA.Karimi@Example.AF", "  zahra@example.af\r\n", "\u00a0zahra@example.af", "zahra+hotel@example.af",
		"o'neil@example.com", "a_b-c@sub.example.co.uk", "1@2.example", long + "a@example.com", "a@" + long + ".example",
		`"a@b"@example.af`, `"quoted local"@example.com`, `"a..b"@example.com`, `"a\"b"@example.com`,
		"زهرا@مثال.افغانستان", "özgür@bücher.example", "用户@例子.广告", "a@xn--bcher-kva.example", "a!#$&'*+/=?^_`{|}~-b@example.com",
		"zoe\u0308@example.com", "a@bu\u0308cher.example", "J\u030c@example.com", spaces + "zahra@example.af" + spaces, longest,
	} {
		all = append(all, Case{text, true})
	}
	for _, text := range []string{
		"", "   ", "zahra", "@example.af", "zahra@", "zahra@example.af@", "ali@gmail,com", "ali@gmail،com", "ali،vali@example.com", "ali@gmail",
		"a@example.com,b@example.com", "a@example.com;b@example.com", "a@example.com،b@example.com", "a@example.com b@example.com", "a@b@example.com",
		"mailto:a@example.com", "a:b@example.com", "a(b)@example.com", "a@example.com (work)", "<a@example.com>", "Zahra <a@example.com>",
		`"Zahra" <a@example.com>`, "a@example.com>", "a@example.com/", "a@example.com?bcc=x@y.z", "a@example.com?bcc=x",
		"a@example.com%0Abcc:x@y.z", "a%0Abcc@example.com", "a%250abcc@example.com", "a\nb@example.com", "a\x00@example.com", "zahra@example.af\x00",
		"zahra\u200e@example.af", "zahra\u3164@example.af", "a\u0085b@example.com", "zahra karimi@example.af", "zahra @example.af", "zahra@ example.af", "zahra@\xff.af",
		"a@example.com.", "a@.example.com", "a@example..com", ".a@example.com", "a.@example.com", "a..b@example.com",
		"a@-example.com", "a@example-.com", "a@exa_mple.com", "a@exa mple.com", "a@[192.0.2.1]", "a@" + long + "a.example", "a@ａ.example", "a@xn--a.example",
		longest + "a", "\"a\tb\"@example.com", "\"a\u200bb\"@example.com",
		long + "aa@example.com", `"` + long + `"@example.com`, "a@" + strings.Repeat(long+".", 4) + "example",
	} {
		all = append(all, Case{text, false})
	}
	return all
}

// Names returns first names of guests without a last name.
func Names() (all []Case) {
	for _, text := range []string{
		"Zahra", "زهرا", "محمد\u200cرضا", "李", "O", "Ōe-Dō", "D'Arcy", "3 Jane", "Zoe\u0308", "\u200fزهرا", "Ali\u00a0", "\u3000Ali", "ﷲ",
		strings.Repeat("a", 100), "e" + strings.Repeat("\u0301", 20), strings.Repeat(" ", 100) + "Ali",
	} {
		all = append(all, Case{text, true})
	}
	for _, text := range []string{
		"", " \t", "-", ".", "42", "\u200c", "\u200f", "\u3164", "\u115f", "\uffa0", "\u2800", "\ufe0f", "\u0301", "\u00ad", "🙂", "a\x00b", "a\nb", "a\u202eb",
		strings.Repeat("a", 101), "e" + strings.Repeat("\u0301", 99),
	} {
		all = append(all, Case{text, false})
	}
	return all
}
