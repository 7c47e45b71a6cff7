"""Words that decide whether a sentence ends, in English, German, Italian and French; in lower case unless stated."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Always followed by what they introduce.
BOUND = _words(
    """
    mr mrs ms messrs dr drs prof rev hon gen col lt capt sgt gov rep sen pres mme mmes mlle
    v vs cf e.g i.e eg viz approx ca circa incl excl resp esp temp w.r.t
    z.b z.t d.h u.a u.u i.d.r i.v.m i.s.d i.s.v o.g s.o s.u v.a bzw vgl ggf ggfs evtl evt inkl exkl zzgl abzgl sog
    einschl insb insbes bspw dipl
    sig sigg sig.ra dott dott.ssa avv prof.ssa geom cfr p.es p.e
    p.ex c.-à-d éd tél
    """
)

# The same, but only with this capitalisation: "5 mm.", "tell me." and "turn it on." end sentences.
BOUND_AS_WRITTEN = _words("St Ste Mt MM Me On Mag Hr Fr Ing ing Tel tel Str str Rag")

# Bound to the amount around them: "5 Mio. Euro".
QUANTITIES = _words("mio mrd tsd")

# Bound to the number, numeral or letter that follows; before a plain word they may end a sentence ("No. He left.").
NUMBERED = _words(
    """
    no nos nr nrn n nn num fig figs figg tab tabs abb eq eqs ex exs app annex sec secs sect sects ch chs
    chap chaps vol vols p pp pg pag pagg pt pts art arts artt abs rn rdnr rdn rz randnr ziff buchst lit lett
    sez cap kap bd bde anm anh bl
    para paras par pars cl reg regs sched op appl apps req az urt beschl bgbl abl slg aufl ausg ss gem av
    jan feb febr mar apr jun jul aug sep sept oct okt nov dec dez genn febbr ott dic janv févr avr juil déc
    max min
    """
)

# These name a thing by a letter too: "Fig. A", where after other words an "A" begins a sentence.
LETTERED = _words("fig figs figg tab tabs abb annex app ex eq lit lett buchst anh")

# May end a sentence: they do so before a word that usually begins one.
FINAL = _words("etc ecc usw usf inc ltd co corp bros plc llc jr sr al ibid ff f seq cit u.dgl d.lgs")

# Clock times end a sentence before any capital.
TIMES = _words("a.m p.m")

# Words that begin sentences far more often than they follow an initial or an abbreviation.
STARTERS = _words(
    """
    the this that these those it its he she they we you i in on at if when while however but and as for to a an there
    here then please do after before no not such both each all any some one his her their our your
    der die das ein eine einer es er sie wir ich im am bei wenn nach für mit diese dieser dieses dabei daher damit auch
    il lo la gli le un una nel nella se non questo questa questi per con dopo prima quando poi i
    les une ce cette ces elle nous vous dans en si pour avec après avant lorsque
    """
)

GERMAN_MONTHS = _words(
    """
    januar jänner februar märz april mai juni juli august september oktober november dezember
    jan feb mär apr jun jul aug sep sept okt nov dez
    """
)

# "am 3. Mai", "der 2. Senat", "im 19. Jahrhundert": the full stop makes the number an ordinal.
BEFORE_GERMAN_ORDINAL = _words("am der die das dem den des im vom zum zur beim ab seit bis jeder jede jedem")

# A line that ends in one of these goes on.
CONNECTING = _words(
    """
    a an the of and or to in on at for with by from as is are was were that which than not
    der die das den dem des ein eine und oder von vom zu zum zur im am mit für auf bei nach aus ist sind
    il lo la i gli le un una e o di del della dei delle da dal in nel nella con per su che è sono
    les une et ou de du des au aux dans sur avec pour par que qui est sont
    mr mrs ms dr
    """
)
