"""For people: the table as an app in the terminal, and recorded hands in the same app; what the browser shows is made of its scenes.

``scene`` says what is to be seen at a moment, ``pictures`` draws it, ``keys`` says what a key means, ``match`` and
``recording`` make scenes of a table in play and of a record; only the screens know textual (the extra ``[play]``).
"""
