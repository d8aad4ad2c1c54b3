"""People over HTTP: the pages of ``cardai play --browser``, on which a table is played, one process for all of them.

Starlette carries it: five kinds of pages and one WebSocket need routes and no more. FastAPI is Starlette with pydantic and
an API's documentation, which pages have no use for (and what comes in goes through :mod:`cardai.core.schema` like all
foreign input); Litestar brings a stack of its own with more to keep and to trust. uvicorn serves, jinja2 draws; the pages'
JavaScript is ours and is built by nothing. There is no database: a match is a record, as in the terminal app, and whatever
else is known is read off records.

``door`` says who may come in, ``server`` listens, ``pages`` answers requests, ``socket`` speaks with a table's page,
``sittings`` has the tables that are being played, ``felt`` draws a scene, ``offers`` says what can be played; ``study`` solves
spots of hold'em and shows what is kept of them.
"""
