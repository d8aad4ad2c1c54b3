"""For people: the table as an app in the terminal and in the browser, and recorded hands in the same app.

``scene`` says what is to be seen at a moment, ``pictures`` draws it, ``keys`` says what a key means, ``match`` and
``recording`` make scenes of a table in play and of a record; only the screens know textual (the extra ``[play]``).
"""
