package demo

import "melmastoon.ghasi.io/functions/sandbox"

// said is one sentence in the languages of the two hotels.
func said(en, ps, fa string) sandbox.Name {
	return sandbox.Name{Default: en, Localized: map[string]string{"en": en, "ps-AF": ps, "fa-AF": fa}}
}

// texts are what a room is called in the languages that it is not written in here.
func texts(psName, psDescription, faName, faDescription string) sandbox.RoomTexts {
	return sandbox.RoomTexts{"ps-AF": {Name: psName, Description: psDescription}, "fa-AF": {Name: faName, Description: faDescription}}
}

// rules are what both hotels ask of their guests.
var rules = []sandbox.HouseRule{
	{Kind: "check_in", Title: said("Arrival", "رسېدل", "ورود"),
		Text: said("Rooms are ready from 14:00. The front desk is open day and night.",
			"کوټې له ۱۴:۰۰ بجو چمتو وي. د هرکلي څانګه شپه او ورځ پرانیستې ده.",
			"اتاق‌ها از ساعت ۱۴:۰۰ آماده است. پذیرش شب و روز باز است.")},
	{Kind: "check_out", Title: said("Departure", "تلل", "خروج"),
		Text: said("Please leave the room by 12:00.", "مهرباني وکړئ تر ۱۲:۰۰ بجو کوټه پرېږدئ.", "لطفاً تا ساعت ۱۲:۰۰ اتاق را تخلیه کنید.")},
	{Kind: "cancellation", Title: said("Cancellation", "لغوه کول", "لغو رزرو"),
		Text: said("What a cancellation costs depends on the rate and is shown before you book.",
			"د لغوه کولو لګښت په نرخ پورې اړه لري او له بک کولو مخکې ښودل کېږي.",
			"هزینهٔ لغو به نرخ بستگی دارد و پیش از رزرو نشان داده می‌شود.")},
	{Kind: "children", Title: said("Children", "ماشومان", "کودکان"),
		Text: said("Children are welcome. Cots are free of charge.", "ماشومان ښه راغلي دي. زانګوګانې وړیا دي.",
			"کودکان خوش آمدند. تخت نوزاد رایگان است.")},
	{Kind: "payment", Title: said("Payment", "تادیه", "پرداخت"),
		Text: said("You can pay now, or in cash when you arrive.", "تاسو اوس یا د رسېدو پر مهال په نغدو تادیه کولی شئ.",
			"می‌توانید اکنون یا هنگام ورود به‌صورت نقد بپردازید.")},
}
