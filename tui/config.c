/* The person's own settings; see config.h. */
#include "tui/config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const char *const glyph_choices[] = {"auto", "blocks", "braille", "ascii", NULL};
static const char *const colour_choices[] = {"auto", "never", "8", "16", "256", NULL};
static const char *const delay_choices[] = {"0.1", "0.2", "0.5", "1", "2", "5", "10", NULL};
static const char *const mouse_choices[] = {"off", "on", NULL};
static const char *const screen_choices[] = {"overview", "pools",  "processes", "sites",
					     "findings", "events", NULL};

const struct setting settings[SETTINGS] = {
	[SETTING_GLYPHS] = {"glyphs", "Glyphs", glyph_choices},
	[SETTING_COLOUR] = {"color", "Colours (next start)", colour_choices},
	[SETTING_DELAY] = {"delay", "Seconds between frames", delay_choices},
	[SETTING_MOUSE] = {"mouse", "Mouse", mouse_choices},
	[SETTING_SCREEN] = {"screen", "First screen", screen_choices},
};

static int index_of(const char *const *choices, const char *text)
{
	for (int i = 0; choices[i]; i++)
		if (!strcasecmp(choices[i], text))
			return i;
	return -1;
}

/* The choice nearest to the delay, which may be any number on the command line. */
static int delay_index(double delay_s)
{
	int best = 0;

	for (int i = 0; delay_choices[i]; i++)
		if (fabs(atof(delay_choices[i]) - delay_s) <
		    fabs(atof(delay_choices[best]) - delay_s))
			best = i;
	return best;
}

void tui_options_init(struct tui_options *options)
{
	*options = (struct tui_options){.delay_s = 0.5, .mouse = 1};
}

int config_get(const struct tui_options *options, int setting)
{
	switch (setting) {
	case SETTING_GLYPHS:
		return (int)options->glyphs;
	case SETTING_COLOUR:
		return (int)options->colour;
	case SETTING_DELAY:
		return delay_index(options->delay_s);
	case SETTING_MOUSE:
		return options->mouse != 0;
	default:
		return options->screen ? index_of(screen_choices, options->screen) : 0;
	}
}

void config_set(struct tui_options *options, int setting, int choice)
{
	switch (setting) {
	case SETTING_GLYPHS:
		options->glyphs = (enum tui_glyphs)choice;
		break;
	case SETTING_COLOUR:
		options->colour = (enum tui_colour)choice;
		break;
	case SETTING_DELAY:
		options->delay_s = atof(delay_choices[choice]);
		break;
	case SETTING_MOUSE:
		options->mouse = choice;
		break;
	default:
		options->screen = screen_choices[choice];
	}
}

static int config_path(char *path, size_t size, int make)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int length;

	if (base && *base == '/')
		length = snprintf(path, size, "%s/loopmem", base);
	else if (home && *home == '/')
		length = snprintf(path, size, "%s/.config/loopmem", home);
	else
		return -1;
	if (length < 0 || (size_t)length + sizeof("/top.conf") > size)
		return -1;
	if (make && mkdir(path, 0700) && errno != EEXIST) {
		char *slash = strrchr(path, '/'); /* the directory above may be missing too */

		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
		mkdir(path, 0700);
	}
	strcat(path, "/top.conf");
	return 0;
}

/* A setting is taken only where the command line kept the default. */
static void take(struct tui_options *options, const struct tui_options *defaults, const char *key,
		 const char *value)
{
	for (int i = 0; i < SETTINGS; i++) {
		int choice = strcmp(settings[i].key, key) ? -1
							  : index_of(settings[i].choices, value);

		if (choice >= 0 && config_get(options, i) == config_get(defaults, i))
			config_set(options, i, choice);
	}
}

void config_read(struct tui_options *options)
{
	struct tui_options defaults;
	char path[4096], line[256], key[64], value[64];
	FILE *in;

	tui_options_init(&defaults);
	if (config_path(path, sizeof(path), 0))
		return;
	in = fopen(path, "re");
	if (!in)
		return;
	while (fgets(line, sizeof(line), in))
		if (sscanf(line, "%63s %63s", key, value) == 2)
			take(options, &defaults, key, value);
	fclose(in);
}

int config_write(const struct tui_options *options, char *path, size_t size, struct error *e)
{
	FILE *out;
	int failed;

	if (config_path(path, size, 1))
		return error_set(e, ERROR_SYSTEM, "cannot keep the settings: HOME is not set");
	out = fopen(path, "we");
	if (!out)
		return error_set_errno(e, ERROR_SYSTEM, errno, "cannot write %s", path);
	for (int i = 0; i < SETTINGS; i++)
		fprintf(out, "%s %s\n", settings[i].key,
			settings[i].choices[config_get(options, i)]);
	failed = ferror(out);
	if (fclose(out) || failed)
		return error_set_errno(e, ERROR_SYSTEM, errno, "cannot write %s", path);
	return 0;
}
