/* MUTANT(n): whether the process runs with mutant n awake. Included by force into every source of a mutation build. */
#ifndef KANON_MUTATION_RUNTIME_H
#define KANON_MUTATION_RUNTIME_H
int kanon_mutant_awake(int number);
#define MUTANT(number) kanon_mutant_awake(number)
#endif
