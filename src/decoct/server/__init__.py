"""Decoct over HTTP: libraries, contexts and cited answers for any program, OpenAI's chat interface, ingest as jobs, and a web page.

`app.create_app(settings)` makes the ASGI application; `decoct serve` runs it. The engine stays synchronous: its calls run in bounded
threads (`work`), its writes in a child process (`runner`, `child`). Nothing outside this folder imports it.
"""
