/* See conveyor.h. Whichever thread completes the next part in order also takes it, and all complete parts after it;
 * the others go on making parts. So no thread is set apart for writing. */
#include "core/conveyor.h"

#include "core/alloc.h"
#include "core/context.h"
#include "core/pool.h"

typedef struct conveyor {
    kanon__slot_task make, take;
    void *payload;
    int n_slots;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    bool *made;      /* by slot: its part waits to be taken */
    int64_t n_taken; /* parts */
    bool taking;     /* some thread does */
    bool failed;
} conveyor;

int kanon__conveyor_slots(int threads, int64_t n)
{
    int wanted = kanon__pool_threads(threads);
    int slots = wanted > 1 ? 2 * wanted + 2 : 1;
    return n < slots ? (n > 0 ? (int)n : 1) : slots;
}

/* Parts begin in order, so the part that is in the slot has begun and will be taken unless something fails. */
static bool wait_for_slot(conveyor *c, int64_t index)
{
    bool is_free;
    pthread_mutex_lock(&c->lock);
    while (!(is_free = index < c->n_taken + c->n_slots) && !c->failed)
        kanon__call_wait(&c->moved, &c->lock);
    pthread_mutex_unlock(&c->lock);
    return is_free;
}

/* Called with the lock, which is free while a part is taken. */
static kanon_status take_all(conveyor *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    c->taking = true;
    while (st == KANON_OK && c->made[c->n_taken % c->n_slots]) {
        int64_t index = c->n_taken;
        int slot = (int)(index % c->n_slots);
        pthread_mutex_unlock(&c->lock);
        st = c->take(index, slot, c->payload, err);
        pthread_mutex_lock(&c->lock);
        c->made[slot] = false;
        if (st == KANON_OK)
            c->n_taken++;
        pthread_cond_broadcast(&c->moved);
    }
    c->taking = st != KANON_OK; /* after a failure nobody takes any more */
    return st;
}

static kanon_status run_part(int64_t index, void *payload, kanon_error *err)
{
    conveyor *c = payload;
    int slot = (int)(index % c->n_slots);
    if (!wait_for_slot(c, index))
        return KANON_OK;
    kanon_status st = c->make(index, slot, c->payload, err);
    pthread_mutex_lock(&c->lock);
    c->made[slot] = st == KANON_OK;
    if (st == KANON_OK && !c->taking)
        st = take_all(c, err);
    if (st != KANON_OK) {
        c->failed = true;
        pthread_cond_broadcast(&c->moved);
    }
    pthread_mutex_unlock(&c->lock);
    return st;
}

kanon_status kanon__conveyor_run(int threads, int64_t n, int n_slots, kanon__slot_task make, kanon__slot_task take,
                                 void *payload, kanon_error *err)
{
    conveyor c = {.make = make, .take = take, .payload = payload, .n_slots = n_slots};
    kanon_status st = kanon__new_array(&c.made, n_slots, "slots", err);
    if (st != KANON_OK)
        return st;
    pthread_mutex_init(&c.lock, NULL);
    kanon__call_condition(&c.moved);
    st = kanon__pool_run(threads, n, run_part, &c, err);
    pthread_cond_destroy(&c.moved);
    pthread_mutex_destroy(&c.lock);
    kanon__free(c.made);
    return st;
}
