/* Roles: what a proposal decides about each column, and why.
 *
 *     facts of each column -> its role alone -> whose record each row is -> enough columns -> columns that say the same
 *
 * In doubt a column gets the safer role. What nobody can vouch for is withheld: the role identifying, with a reason
 * that says so. */
#ifndef KANON_PROPOSE_ROLES_H
#define KANON_PROPOSE_ROLES_H

#include "propose/column_facts.h"

enum { KANON__REASON_TEXT = 320 };

typedef struct kanon__decision {
    kanon_role role;
    kanon__kind kind;
    kanon_type type;                /* of quasi and sensitive columns */
    bool mask;                      /* a taxonomy by masking from the right */
    bool light;                     /* a quasi-identifier of weight 0.1 */
    char bands[KANON__NUMBER_TEXT]; /* of numbers and dates; "": none */
    char top[KANON__NUMBER_TEXT];   /* likewise */
    bool unknown;                   /* withheld because nothing is known about it */
    int same_as;                    /* the column that says the same; -1: none */
    bool follows;                   /* it only follows from `same_as`, not the other way round */
    char reason[KANON__REASON_TEXT];
} kanon__decision;

/* How sure it is that a column says whose record each row is (propose/entity.h). */
typedef enum kanon__entity_belief {
    KANON__ENTITY_NO,
    KANON__ENTITY_ASK,     /* it may */
    KANON__ENTITY_PROPOSED /* it does, as far as can be told */
} kanon__entity_belief;

typedef struct kanon__entity_answer {
    int column;                  /* -1: none */
    kanon__entity_belief belief; /* in it */
    int rival;                   /* another column that is believed as much; -1: none */
    int household;               /* a column that stands for households; -1: none */
} kanon__entity_answer;

typedef struct kanon__roles {
    int n_columns;
    const kanon__column_facts *facts; /* by column */
    kanon__decision *decisions;       /* likewise */
    int entity;                       /* the column that says whose record it is; -1: none */
    int key;                          /* the column that numbers the records; -1: none */
    int64_t n_entities;               /* 0: there is no entity column */
    kanon__entity_answer answer;      /* whose record each row is, and what is left to ask */
} kanon__roles;

/* `bands`: propose bands of numbers and dates. */
kanon_status kanon__roles_decide(kanon__roles *out, const kanon__column_facts *facts, int n_columns, bool bands,
                                 kanon_error *err);
/* Kinds of columns that have roles already (`given`, by column), and whose record each row is: `answer`. */
kanon_status kanon__roles_judge(kanon__roles *out, const kanon__column_facts *facts, int n_columns, const kanon_role *given,
                                kanon_error *err);
void kanon__roles_clear(kanon__roles *roles);

#endif
