"""Our wording in place of Chainlit's own, by language; languages that are not here get the English one."""

from __future__ import annotations

CHAT_WORDING: dict[str, dict[str, str]] = {
    "en": {
        "chat.input.placeholder": "Search, or ask about the results …",
        "chat.commands.button": "Commands",
        "chat.commands.changeTool": "Change the command",
        "chat.commands.availableTools": "Commands",
        "chat.watermark": "Answers quote the documents found. Open a footnote to check one.",
    },
    "de": {
        "chat.input.placeholder": "Suchen oder zu den Treffern fragen …",
        "chat.commands.button": "Befehle",
        "chat.commands.changeTool": "Befehl ändern",
        "chat.commands.availableTools": "Befehle",
        "chat.watermark": "Die Antworten zitieren die gefundenen Dokumente. Eine Fußnote zeigt die Stelle.",
    },
    "fr": {
        "chat.input.placeholder": "Cherchez, ou posez une question sur les résultats …",
        "chat.commands.button": "Commandes",
        "chat.commands.changeTool": "Changer de commande",
        "chat.commands.availableTools": "Commandes",
        "chat.watermark": "Les réponses citent les documents trouvés. Une note ouvre le passage.",
    },
    "es": {
        "chat.input.placeholder": "Busque o pregunte sobre los resultados …",
        "chat.commands.button": "Comandos",
        "chat.commands.changeTool": "Cambiar de comando",
        "chat.commands.availableTools": "Comandos",
        "chat.watermark": "Las respuestas citan los documentos encontrados. Una nota abre el pasaje.",
    },
    "it": {
        "chat.input.placeholder": "Cerca, o fai una domanda sui risultati …",
        "chat.commands.button": "Comandi",
        "chat.commands.changeTool": "Cambia comando",
        "chat.commands.availableTools": "Comandi",
        "chat.watermark": "Le risposte citano i documenti trovati. Una nota apre il passaggio.",
    },
    "nl": {
        "chat.input.placeholder": "Zoek, of vraag iets over de resultaten …",
        "chat.commands.button": "Opdrachten",
        "chat.commands.changeTool": "Andere opdracht",
        "chat.commands.availableTools": "Opdrachten",
        "chat.watermark": "Antwoorden citeren de gevonden documenten. Een voetnoot opent de passage.",
    },
}
