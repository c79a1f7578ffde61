"""What all pages share.

Begin with `page`, which makes one. Pages may call all of it, the API `requests`, `language`, `page` and `security`.

page      making a page: its template, symbols and theme, what every page knows, its ETag
navigation  the navigation on all pages, and how many matches wait for who reads them
errors    pages for problems, and which pages are capped per network
language  in which language a page speaks
forms     fields of several forms, and the page for a form that was opened before another one was saved
sign_in   who is signed in on this browser, or has been before
security  from which site a form was sent; what a page says of itself so that its link stays secret
assets    static files, under addresses that change with their content, or within a page that stands alone
requests  every request: one line of the log and one count, where it comes from; headers and gzip of its answer
"""
