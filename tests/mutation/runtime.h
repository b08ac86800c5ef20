/* MUTANT(n): whether the process runs with mutant n awake. Included by force into every source of a mutation build. */
#ifndef KANON_MUTATION_RUNTIME_H
#define KANON_MUTATION_RUNTIME_H
#define KANON_MUTANTS_MOST 10000
extern unsigned char kanon_mutant_reached[KANON_MUTANTS_MOST]; /* 0: not yet, 1: reached and asleep, 2: reached and awake */
int kanon_mutant_reach(int number);
/* A sleeping mutant costs a look into a table: some are in the innermost loops. */
#define MUTANT(number) ((kanon_mutant_reached[number] != 0 ? kanon_mutant_reached[number] : kanon_mutant_reach(number)) == 2)
#endif
