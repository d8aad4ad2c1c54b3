"""Poker-CNN (Yakovenko, Cao, Raffel, Fan, AAAI 2016): values of holds and hands, and betting by self-play.

    values/     the trainer poker_cnn: a network learns what each hold, or a hand, is worth
    betting/    the trainer poker_cnn_betting: generations of self-play

In both folders ``training.py`` is the loop, ``options.py`` the options, and ``published.py`` what only the publication
does. What both need lies here.
"""
