/* Floors of windows and what they tell: see the header. */
#include "profiler/model/growth.h"

#include <string.h>

/* It goes on when the last two windows have this part of an even rise, or more. */
#define STILL_RISING 0.5
/* A floor may fall back by this part of the whole rise. */
#define SLACK 0.05
/* Least squares: how much of the variance a straight line explains. */
#define STRAIGHT 0.8

enum { DENSE = 8 };

void growth_begin(struct growth *g, const struct growth_stretch *stretches, size_t count,
		  int windows)
{
	memset(g, 0, sizeof(*g));
	g->stretches = stretches;
	g->count = count;
	g->windows = windows;
	for (size_t i = 0; i < count; i++)
		g->total_ns += stretches[i].end_ns - stretches[i].start_ns;
}

void growth_add(struct growth *g, int64_t t_ns, double value)
{
	const struct growth_stretch *s;
	int64_t passed_ns;
	int window;

	while (g->at < g->count && g->stretches[g->at].end_ns <= t_ns) {
		g->before_ns += g->stretches[g->at].end_ns - g->stretches[g->at].start_ns;
		g->at++;
	}
	s = g->at < g->count ? &g->stretches[g->at] : NULL;
	if (!s || t_ns < s->start_ns)
		return;
	passed_ns = g->before_ns + t_ns - s->start_ns;
	window = (int)((double)passed_ns / (double)g->total_ns * g->windows);
	window = window < g->windows ? window : g->windows - 1;
	if (!g->seen[window] || value < g->floor[window])
		g->floor[window] = value;
	g->seen[window]++;
	g->first = g->any ? g->first : value;
	g->last = value;
	g->any = 1;
}

void growth_sum(struct growth *g, const struct growth *other)
{
	for (int i = 0; i < g->windows; i++) {
		if (other->seen[i] < g->seen[i])
			g->seen[i] = other->seen[i];
		g->floor[i] += other->floor[i];
	}
	g->first += other->first;
	g->last += other->last;
}

int growth_is_dense(const struct growth *g)
{
	int dense = 0;

	for (int i = 0; i < g->windows; i++)
		dense += g->seen[i] >= DENSE;
	return dense == g->windows;
}

double growth_rise(const struct growth *g)
{
	return g->floor[g->windows - 1] - g->floor[1];
}

static int is_complete(const struct growth *g)
{
	int windows = 0;

	for (int i = 1; i < g->windows; i++)
		windows += g->seen[i] > 0;
	return g->windows >= 4 && windows == g->windows - 1;
}

static int falls_back(const struct growth *g, double slack)
{
	double highest = g->floor[1];

	for (int i = 2; i < g->windows; i++) {
		if (g->floor[i] < highest - slack)
			return 1;
		highest = g->floor[i] > highest ? g->floor[i] : highest;
	}
	return 0;
}

/* How many windows took a real part in the rise: a single step is no growth. */
static int rising_windows(const struct growth *g, double part)
{
	int rising = 0;

	for (int i = 2; i < g->windows; i++)
		rising += g->floor[i] - g->floor[i - 1] >= part;
	return rising;
}

/* R squared of the floors over the windows, the first left out. */
static double straightness(const struct growth *g)
{
	double n = g->windows - 1, x = 0, y = 0, xx = 0, yy = 0, xy = 0;

	for (int i = 1; i < g->windows; i++) {
		double value = g->floor[i] - g->floor[1];

		x += i;
		y += value;
		xx += (double)i * i;
		yy += value * value;
		xy += i * value;
	}
	xy = n * xy - x * y;
	return xy * xy / ((n * xx - x * x) * (n * yy - y * y));
}

enum growth_shape growth_shape(const struct growth *g, double least)
{
	int last = g->windows - 1, steps = last - 1;
	double rise, late;

	if (!is_complete(g))
		return GROWTH_NONE;
	rise = growth_rise(g);
	if (rise < least || rise <= 0 || falls_back(g, SLACK * rise))
		return GROWTH_NONE;
	if (rising_windows(g, rise / steps / 4) < 2)
		return GROWTH_NONE;
	late = steps > 2 ? (g->floor[last] - g->floor[last - 2]) / 2
			 : g->floor[last] - g->floor[last - 1];
	if (late < STILL_RISING * rise / steps)
		return GROWTH_LEVELS;
	return straightness(g) >= STRAIGHT ? GROWTH_STEADY : GROWTH_NONE;
}
