"""Words that name nothing: what titles of documents say beside the name, in five languages and lower case."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Covers greet; sections do not.
GREETINGS = _words(
    """
    welcome willkommen bienvenue benvenuto bienvenido introducing congratulations meet hello
    """
)

# What the document is.
DOCUMENT_WORDS = _words(
    """
    manual manuals guide guides handbook instructions instruction leaflet brochure booklet datasheet
    documentation reference user users user's owner owner's owners operating operator operator's operation
    installation installer maintenance service quickstart getting started start setup anleitung
    bedienungsanleitung gebrauchsanleitung gebrauchsanweisung betriebsanleitung benutzerhandbuch handbuch
    montageanleitung installationsanleitung kurzanleitung manuel notice mode emploi utilisation utilisateur
    manuale guida istruzioni uso utente d'uso installazione manutenzione libretto guía guia instrucciones
    usuario
    """
)

# What stands around a name.
AROUND = _words(
    """
    a an the this that up set your our new welcome to for of on in with and from by about introducing
    introduction meet discover know hello enjoy thank you buying purchasing choosing congratulations quick basic
    full complete edition version revision rev ver draft final copy language languages english us uk eu deutsch
    français italiano español en de fr it es all everything need safety information product products device
    smart model type series part no number page pages volume vol book read me first important use using how help
    support der die das den des dem für und mit zur zum ein eine ihr ihre neu neue willkommen le la les l' du d'
    pour et avec votre un une nouveau il lo gli i dell' della del dei per con tuo suo una uno nuovo benvenuto el
    los las para su sus january february march april may june july august september october november december
    """
)

GENERIC = GREETINGS | DOCUMENT_WORDS | AROUND
