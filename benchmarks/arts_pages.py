"""Made-up pages about the arts, for pictures of the engines that ask MOSAIC."""

from __future__ import annotations

PAGES: tuple[tuple[str, str], ...] = (
    (
        "Impressionism",
        "Impressionism is a movement in painting that began in Paris in the 1860s. The impressionists painted out of doors, with "
        "short strokes of pure colour, to show what light does at one moment. The name comes from a picture by Claude Monet.",
    ),
    (
        "Claude Monet",
        "Claude Monet painted the same motif at many hours of the day: haystacks, a cathedral, the pond of his garden. "
        "What is left of a thing, he held, is the light on it. Critics at first found such paintings unfinished.",
    ),
    (
        "The Night Watch",
        "Rembrandt painted The Night Watch in 1642 for the hall of a civic guard of Amsterdam. The canvas is almost four metres "
        "high and shows the company of Captain Frans Banninck Cocq as it moves out. Today it hangs in the Rijksmuseum.",
    ),
    (
        "Rembrandt van Rijn",
        "Rembrandt, born in Leiden in 1606, was a painter, draughtsman and etcher of the Dutch Golden Age. He is known for his "
        "portraits, his self-portraits and his use of light and shadow. He died in Amsterdam in 1669.",
    ),
    (
        "Civic guards in Dutch painting",
        "Group portraits of civic guards were a speciality of Dutch painters of the seventeenth century. Frans Hals painted the "
        "companies of Haarlem; the members paid for their places in the picture.",
    ),
    (
        "Rijksmuseum, Amsterdam",
        "The Rijksmuseum is the national museum of the Netherlands for art and history. Its Gallery of Honour leads to the Night "
        "Watch, and passes works by Vermeer, Hals and Steen. It is open every day.",
    ),
    (
        "Art Nouveau",
        "Art Nouveau is a style of art and architecture that was most popular between 1890 and 1910. It is known for its "
        "curving lines taken from plants and flowers. In Austria it is called the Secession style, in Germany Jugendstil.",
    ),
    (
        "Egon Schiele in Vienna",
        "The Leopold Museum in Vienna shows the largest collection of works by Egon Schiele. Other paintings of his hang in the "
        "Belvedere, and drawings are kept by the Albertina.",
    ),
    (
        "The Magic Flute",
        "Wolfgang Amadeus Mozart composed The Magic Flute in 1791, to a text by Emanuel Schikaneder. It was first performed in a "
        "theatre of Vienna in the same year, and was a success from the first evening.",
    ),
    (
        "How a fresco is painted",
        "A fresco is painted on fresh, wet plaster, so that the pigments become part of the wall when it dries. The painter puts "
        "up only as much plaster as can be painted in one day.",
    ),
)
"""Titles and texts, in the order in which the stand-in lists what has a word of the query."""
