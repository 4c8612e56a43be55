package fault

import (
	"net/http"
	"strings"
)

// A Kind groups faults by their meaning for the caller. The zero Kind is Internal, so that no details are shown by accident.
type Kind int

// The kinds, each with one HTTP status.
const (
	Internal Kind = iota
	Invalid
	Unauthenticated
	PaymentRequired
	Forbidden
	NotFound
	MethodNotAllowed
	Conflict
	Gone
	PreconditionFailed
	TooLarge
	URITooLong
	UnsupportedMedia
	Unprocessable
	TooMany
	Unavailable
	Timeout
)

// titles are the titles of the kinds for people: one row per kind, in the platform's languages except Dari, which falls back to
// Persian.
var titles = [...]struct {
	status             int
	en, ps, fa, ur, ar string
}{
	Internal:           {http.StatusInternalServerError, "Internal error", "داخلي تېروتنه", "خطای داخلی", "اندرونی خرابی", "خطأ داخلي"},
	Invalid:            {http.StatusBadRequest, "Invalid request", "ناسمه غوښتنه", "درخواست نامعتبر", "غلط درخواست", "طلب غير صالح"},
	Unauthenticated:    {http.StatusUnauthorized, "Sign-in required", "لومړی ننوځئ", "ورود لازم است", "پہلے سائن اِن کریں", "تسجيل الدخول مطلوب"},
	PaymentRequired:    {http.StatusPaymentRequired, "Payment required", "تادیه اړینه ده", "پرداخت لازم است", "ادائیگی ضروری ہے", "الدفع مطلوب"},
	Forbidden:          {http.StatusForbidden, "Not allowed", "اجازه نشته", "مجاز نیست", "اجازت نہیں ہے", "غير مسموح"},
	NotFound:           {http.StatusNotFound, "Not found", "ونه موندل شو", "یافت نشد", "نہیں ملا", "غير موجود"},
	MethodNotAllowed:   {http.StatusMethodNotAllowed, "Method not allowed", "دا طریقه نه منل کېږي", "این روش پذیرفته نیست", "یہ طریقہ قبول نہیں", "الطريقة غير مسموح بها"},
	Conflict:           {http.StatusConflict, "Conflict", "ټکر", "تداخل", "تصادم", "تعارض"},
	Gone:               {http.StatusGone, "No longer available", "نور شتون نه لري", "دیگر موجود نیست", "اب دستیاب نہیں", "لم يعد متاحًا"},
	PreconditionFailed: {http.StatusPreconditionFailed, "Precondition failed", "شرط پوره نه شو", "پیش‌شرط برقرار نیست", "شرط پوری نہیں ہوئی", "لم يتحقق الشرط المسبق"},
	TooLarge:           {http.StatusRequestEntityTooLarge, "Too large", "ډېر لوی دی", "بیش از حد بزرگ", "بہت بڑا ہے", "الحجم أكبر من اللازم"},
	URITooLong:         {http.StatusRequestURITooLong, "Address too long", "پته ډېره اوږده ده", "نشانی بیش از حد طولانی است", "پتہ بہت لمبا ہے", "العنوان طويل جدًا"},
	UnsupportedMedia:   {http.StatusUnsupportedMediaType, "Unsupported media type", "دا ډول محتوا نه منل کېږي", "این نوع محتوا پذیرفته نیست", "مواد کی یہ قسم قبول نہیں", "نوع المحتوى غير مدعوم"},
	Unprocessable:      {http.StatusUnprocessableEntity, "Cannot be processed", "نه شي پروسس کېدای", "قابل پردازش نیست", "اس پر عمل ممکن نہیں", "تتعذر المعالجة"},
	TooMany:            {http.StatusTooManyRequests, "Too many requests", "ډېرې غوښتنې", "درخواست‌های بیش از حد", "بہت زیادہ درخواستیں", "طلبات كثيرة جدًا"},
	Unavailable:        {http.StatusServiceUnavailable, "Temporarily unavailable", "لنډمهاله نشته", "موقتاً در دسترس نیست", "عارضی طور پر دستیاب نہیں", "غير متاح مؤقتًا"},
	Timeout:            {http.StatusGatewayTimeout, "Took too long", "ډېر وخت یې ونیو", "بیش از حد طول کشید", "بہت وقت لگ گیا", "استغرق وقتًا طويلًا"},
}

// Status returns the HTTP status of the kind. An undeclared kind is Internal.
func (k Kind) Status() int { return titles[k.known()].status }

// Title returns the kind's title in the language of a BCP 47 tag, or in English if there is none.
func (k Kind) Title(lang string) string {
	row := titles[k.known()]
	primary, _, _ := strings.Cut(strings.ToLower(lang), "-")
	switch primary {
	case "ps":
		return row.ps
	case "fa", "prs": // browsers request Dari as prs
		return row.fa
	case "ur":
		return row.ur
	case "ar":
		return row.ar
	}
	return row.en
}

func (k Kind) known() Kind {
	if k < 0 || int(k) >= len(titles) {
		return Internal
	}
	return k
}
