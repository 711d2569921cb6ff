/* The environment of a run: see the header. */
#include "profiler/gate/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/view/escape.h"

/* What processes and the run's options tell; pools have their names as keys. */
static const struct {
	const char *key, *words;
	enum model_weight weight;
} own_facts[] = {
	{"allocator", "allocator", MODEL_HARD},
	{"python", "Python", MODEL_SOFT},
	{"torch", "torch", MODEL_SOFT},
	{"released", "--release-idle-workers", MODEL_HARD},
	{"trim_test", "--trim-test", MODEL_HARD},
};

static const struct model_fact known_facts[] = {
#define FACT(key, weight, words) {key, words, NULL, MODEL_##weight},
#include "profiler/model/facts.def"
#undef FACT
};

static void set(json_t *o, const char *key, const char *value)
{
	char *clean = value && *value ? escape_utf8(value) : NULL;

	if (clean && !json_object_get(o, key))
		json_object_set_new(o, key, json_string(clean));
	free(clean);
}

/* A hooked process tells what is hooked: "torch 2.6.0". */
static const char *torch_of(const struct model_process *p)
{
	int hooked = p->python_state && !strcmp(p->python_state, "hooked") && p->python_reason;

	return hooked && !strncmp(p->python_reason, "torch ", 6) ? p->python_reason + 6 : NULL;
}

static void add_owner(json_t *o, const struct model *m)
{
	for (size_t i = 0; i < m->process_count; i++) {
		if (m->processes[i].role != MODEL_ROLE_OWNER)
			continue;
		set(o, "allocator", m->processes[i].allocator);
		set(o, "python", m->processes[i].python);
		set(o, "torch", torch_of(&m->processes[i]));
		return;
	}
}

/* "4 fork": how many workers, started how. The same loader may have several pools: the first one speaks. */
static void add_pools(json_t *o, const struct run *run)
{
	for (size_t i = 0; i < run->subjects.count; i++) {
		const struct subject *s = &run->subjects.items[i];
		const struct model_pool *pool = s->object;
		char text[64];

		if (s->kind != MODEL_SCOPE_POOL)
			continue;
		snprintf(text, sizeof(text), "%lld %s", (long long)pool->workers,
			 pool->start_method);
		set(o, s->name, text);
	}
}

json_t *environment_of(const struct run *run)
{
	const struct model *m = run->models[0];
	json_t *o = json_object();

	if (!o)
		return NULL;
	for (size_t i = 0; i < m->fact_count; i++)
		set(o, m->facts[i].key, m->facts[i].value);
	add_owner(o, m);
	set(o, "released", m->released ? "yes" : "no");
	set(o, "trim_test", m->trims ? "yes" : "no");
	add_pools(o, run);
	return o;
}

/* The words and the weight of a key: what is no known one is the name of a pool. */
static enum model_weight describe(const char *key, const char **words)
{
	for (size_t i = 0; i < sizeof(known_facts) / sizeof(known_facts[0]); i++) {
		if (!strcmp(known_facts[i].key, key)) {
			*words = known_facts[i].words;
			return known_facts[i].weight;
		}
	}
	for (size_t i = 0; i < sizeof(own_facts) / sizeof(own_facts[0]); i++) {
		if (!strcmp(own_facts[i].key, key)) {
			*words = own_facts[i].words;
			return own_facts[i].weight;
		}
	}
	*words = key;
	return MODEL_HARD;
}

void environment_compare(const json_t *base, const json_t *head,
			 void (*differs)(void *arg, const char *words, enum model_weight weight,
					 const char *base, const char *head),
			 void *arg)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)base, key, value)
	{
		const char *was = json_string_value(value);
		const char *is = json_string_value(json_object_get(head, key));
		const char *words;
		enum model_weight weight = describe(key, &words);

		if (was && is && strcmp(was, is) != 0)
			differs(arg, words, weight, was, is);
	}
}
