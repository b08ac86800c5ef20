"""What help() says of each argument. Made from the table of options by scripts/make-hosts; do not edit."""

ABOUT = {
    "schema": "Schema file (YAML): column roles and privacy requirements. What other options say wins over the file.",
    "quasi": "These columns are quasi-identifiers: they are generalised. With ``quasi`` no schema is needed.",
    "sensitive": "These columns are sensitive: they are released as they are, and protected by the groups.",
    "identifying": "These columns are identifying: they are never released.",
    "insensitive": "These columns are released as they are.",
    "default_role": "The role of columns that have none.",
    "taxonomies": (
        "The taxonomy of column A. A CSV file with a line for each category, from the category to the root. Hosts "
        "also take a tree or a table."
    ),
    "bands": (
        "Released intervals of column A end only at these bands: of this width, with edges such as 0,18,65, or of "
        "dates week, month, quarter, year or decade."
    ),
    "top": "All numbers of column A from this one on are one band.",
    "bottom": "All numbers of column A up to this one are one band.",
    "masks": "Generalise column A by masking one character per level, from the right or the left.",
    "weights": "How much the loss in column A counts.",
    "types": "The values of column A are of this type: integer, decimal, date, categorical or ordinal.",
    "orders": "Levels of the ordinal column A, from the lowest to the highest: none,primary,secondary.",
    "formats": "How the dates of column A are written, such as %d.%m.%Y.",
    "missing": "This text means that there is no value.",
    "empty": "Whether the empty text means that there is no value, or is a value like others.",
    "decimal": "Decimal separator, . or ,.",
    "thousands": "Thousands separator.",
    "same": "These two texts are one cell, written in two ways; without it, texts that differ are different.",
    "k": (
        "The least number of records in a group. With ``entity``, the least number of entities. There is no other "
        "default: a run without k is an error."
    ),
    "algorithm": "Grouping algorithm.",
    "settings": "A setting of the algorithm.",
    "constraints": (
        "A constraint on every group in addition to k, such as model=distinct-l-diversity,attribute=A,l=3; "
        "models: distinct-l-diversity, entropy-l-diversity, recursive-l-diversity, p-sensitive-k-anonymity, "
        "alpha-k, t-closeness."
    ),
    "entity": "Column A says whose record it is: groups hold k different entities, not k records.",
    "entity_together": "All records of an entity are in one group.",
    "suppress": (
        "Suppress up to this share of the records if that lowers the loss, such as 0.01. Suppressed records are "
        "left out of the release, unless ``suppressed`` keep."
    ),
    "suppressed": (
        "Drop: suppressed records are left out of the release (default); keep: they are released with * in every "
        "quasi-identifier, if they are at least k and satisfy every constraint."
    ),
    "key": "The columns that name a record, for kanon delete and update; they are never released.",
    "risk_threshold": "Count the records whose risk of being recognised is above R.",
    "groups": "The groups to begin with: a table with the columns row and group, both from 1; group 0 is suppressed.",
    "release": (
        "In place of ``groups``: a release of TABLE, which any tool may have written, with its records in the "
        "order of TABLE; records that look alike are a group."
    ),
    "repair": "Change groups that have fewer than K records or do not satisfy the schema.",
    "refine": "Refinement to run after grouping.",
    "effort": (
        "Time to spend on lowering the loss, with the algorithm auto or ``refine`` search: fast (under a second), "
        "balanced (seconds, the default), best (minutes)."
    ),
    "seconds": "Stop after SECONDS.",
    "refine_settings": "Another setting of the refinement; kanon algorithms NAME lists them.",
    "recode": (
        "Recode each group separately (record), or each value the same way throughout the release (attribute), "
        "which loses more."
    ),
    "blocks": (
        "Split a very large table into blocks of at least N records and group the blocks in parallel; N = 100000 "
        "adds little loss. In hosts, 0 stands for auto and -1 for none."
    ),
    "memory": (
        "Memory limit, such as 500M or 2G: smaller blocks and a spill file in TMPDIR keep within it, and a run "
        "that cannot fit is refused before it starts. Hosts take a number of bytes; 0: no limit."
    ),
    "seed": "Seed of all random choices; the same seed gives the same groups.",
    "threads": "Threads to use; the result does not depend on it.",
    "numeric": (
        "Notation for generalised numbers and dates: [20..29], [20,29], the group mean, or two columns NAME_min "
        "and NAME_max."
    ),
    "shuffle": (
        "Release the records in the order of a hash of their released cells, which tells nothing about that of "
        "the table."
    ),
    "shuffle_seed": "``shuffle`` with the hash that N names: the same N gives the same released records the same order.",
    "joint_k": (
        "Keep every record indistinguishable from at least K-1 others even to someone who holds all releases of a "
        "state, or persons if there is an entity; records are withheld until a later release, or moved to another "
        "group, where necessary. off: warn only."
    ),
    "grow_taxonomy": "Add unknown values below the root of the taxonomy instead of rejecting them.",
    "again": "Apply DELTA even if it was the last one applied (by default a repeated delta is refused).",
    "certificate": "Write the certificate: JSON with a price for each record, which anyone who has the table can check.",
    "page": "Also draw the loss against risk, protection and query error: a page if FILE ends in .html, else SVG.",
    "wait_seconds": "How long to wait while another process works on STATE.",
    "strict": "Fail if a column has no role.",
}

#: The words of arguments that take one of several, by name; of mappings for each column.
WORDS = {
    "default_role": ("quasi", "sensitive", "identifying", "insensitive"),
    "effort": ("fast", "balanced", "best"),
    "empty": ("missing", "value"),
    "masks": ("right", "left"),
    "numeric": ("columns", "interval", "mean"),
    "recode": ("record", "attribute"),
    "suppressed": ("drop", "keep"),
    "types": ("integer", "decimal", "date", "categorical", "ordinal"),
}
