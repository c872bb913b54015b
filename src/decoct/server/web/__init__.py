"""The web page: Jinja templates, htmx, one style sheet, one small script; no network but its own server."""
