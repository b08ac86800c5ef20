// Written by scripts/make-hosts from the table of options.

export type Role = "quasi" | "sensitive" | "identifying" | "insensitive";
export type ColumnType = "integer" | "decimal" | "date" | "categorical" | "ordinal";
export type Mask = "right" | "left";
export type Empty = "missing" | "value";
export type Header = "yes" | "no";
export type Effort = "fast" | "balanced" | "best";
export type Recode = "record" | "attribute";
export type Numeric = "interval" | "range" | "mean" | "columns";

/** What the page says of an option; ui/words.ts has the same in German. */
export const briefs = {
    effort:
        "time to spend on lowering the loss: fast (under a second), balanced (seconds, the default), best (minutes)",
    numeric:
        "notation for generalised numbers and dates: [20..29], [20,29], the group mean, or two columns NAME_min and NAME_max",
    seed:
        "seed of all random choices; the same seed gives the same groups",
    shuffle:
        "release the records in the order of a hash of their released cells, which tells nothing about that of the table",
};
