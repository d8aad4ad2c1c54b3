"""The contracts (game, encoder, agent, trainer), and how plugins that fulfil them are found, loaded and made.

Here belongs what every plugin needs and nothing else of cardai: no game, no play, no run, no torch. The plugin API is on
one page in :mod:`cardai.core.hookspecs`."""
