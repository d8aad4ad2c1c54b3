"""The study: spots of hold'em solved over ranges where people click, as ``cardai solve`` and its sisters do it.

What a page makes and shows are the same objects, from the same texts, as on the command line
(:mod:`cardai.poker.spot_options`), so that each page ends with the command that gives its figures.

``forms`` reads what a person gave, ``bench`` solves (one spot after another, within limits of memory and time), ``drawn``
turns a decision into what a template shows, ``pages`` answers requests.
"""
