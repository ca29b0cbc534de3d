import CookiePort
