//! Words that say nothing about what is looked for.

/// What a word is worth as a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// Nothing: grammar, and words about talking.
    None,
    /// Something where nothing else is left: `fixed` stands in every second work log.
    Weak,
    /// It is what is looked for.
    Strong,
}

/// What a folded word is worth.
pub(super) fn weight(folded: &str) -> Weight {
    if STOP.split_ascii_whitespace().any(|it| it == folded) {
        Weight::None
    } else if WEAK.split_ascii_whitespace().any(|it| it == folded) {
        Weight::Weak
    } else {
        Weight::Strong
    }
}

const STOP: &str = "
    about above actually after again against all already also although always and another any anyone anything are
    aren around because been before being below between both but can cannot could couldn did didn does doesn doing
    don during each either else even ever every few for from further get gets getting got had hadn has hasn have
    haven having hello her here hers him his how however into isn its itself just let lets like may maybe might more
    most much must mustn myself neither nor not now off okay once one only onto other others our ours ourselves out
    over own per perhaps please quite rather really recall recalled remember remembered same she should shouldn since
    some something such sure than thank thanks that the their theirs them themselves then there these they this those
    though through too under until upon very via was wasn well were weren what whatever when whenever where whether
    which while who whom whose why will with within without would wouldn yes yet you your yours yourself
    discuss discussed discussing discussion talk talked talking happen happened happening said say says tell told
    know known think thought";

const WEAK: &str = "
    add added ago back build building built change changed changes come came create created day days decide decided
    did done earlier fix fixed fixes fixing fixed first going implement implemented implementing last later look
    looked made make making need needed new old previous previously project session sessions start started stop
    stopped take taken thing things time times today took tried try two use used using want wanted way week weeks
    went work worked working write wrote written yesterday";

/// Characters that make a pair of Chinese ones grammar.
pub(super) fn is_grammar(c: char) -> bool {
    "的了吗呢吧啊们么".contains(c)
}

/// Pairs of characters that are grammar, or about talking.
pub(super) fn is_function(pair: &str) -> bool {
    const PAIRS: &[&str] = &[
        "一个", "一下", "上次", "之前", "什么", "但是", "可以", "因为", "如果", "怎么", "所以", "时候",
        "是否", "有没", "没有", "讨论", "记得", "这个", "那个", "还是", "우리", "그때", "지난", "어떻",
        "떻게", "무엇",
    ];
    PAIRS.contains(&pair)
}
