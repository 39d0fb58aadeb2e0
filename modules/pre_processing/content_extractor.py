"""Takes the main text out of web pages."""

from __future__ import annotations

from typing import ClassVar

import regex
from pydantic import Field

from chatsearch.module import Category, Column, RowModule

_ELEMENT = (
    r"(?:html|head|body|title|main|article|section|header|footer|nav|aside|div|span|p|h[1-6]|ul|ol|li|dl|dt|dd|table|thead|tbody"
    r"|tr|td|th|a|b|i|em|strong|u|s|sub|sup|small|big|font|center|blockquote|pre|code|form|label|button|script|style|noscript"
    r"|iframe|figure|figcaption|video|audio|picture|svg|details|summary|mark|q|cite|abbr)"
)
_STARTS_AS_PAGE = regex.compile(rf"\s*(?:<!doctype\s|<\?xml\s|<!--|<{_ELEMENT}(?:\s[^<>]*)?>)", regex.IGNORECASE)
_TAG = regex.compile(rf"<(/?)({_ELEMENT})(?:\s[^<>]*)?>", regex.IGNORECASE)
_LINE_BREAK = regex.compile(r"<br\s*/?>|<hr\s*/?>|<img\s[^<>]*>", regex.IGNORECASE)
_NEAR = 20_000
_LONE_SURROGATE = regex.compile("[\ud800-\udfff\x00]")


class ContentExtractor(RowModule):
    """Takes the main text out of HTML, without navigation, advertisements and footers; a text without HTML stays as it is."""

    id: ClassVar[str] = "content_extractor"
    name: ClassVar[str] = "Content extractor"
    category: ClassVar[Category] = Category.PRE_PROCESSING

    input_column: Column = Field("full-text", description="The column with the HTML.")
    output_column: Column = Field("filtered-text", description="The column that takes the main text.")

    def compute(self, text: str, query: str) -> str:
        """A page without any main content gives all its visible text."""
        if not _is_html(text):
            return text
        from resiliparse.extract.html2text import extract_plain_text

        page = _LONE_SURROGATE.sub("\ufffd", text)
        main = str(extract_plain_text(page, main_content=True, alt_texts=False)).strip()
        return main or str(extract_plain_text(page, alt_texts=False)).strip()


def _is_html(text: str) -> bool:
    """Whether a text is mark-up, rather than one that only mentions a tag or has a sign such as "<"."""
    if "<" not in text:
        return False
    near = text[:_NEAR]
    if _STARTS_AS_PAGE.match(near) or _LINE_BREAK.search(near):
        return True
    tags = {(tag[1], tag[2].lower()) for tag in _TAG.finditer(near)}
    return any(("", name) in tags for slash, name in tags if slash)
