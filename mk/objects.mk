# The program and the reference loop. Each folder profiler/X becomes $(O)/libX.a (model takes
# model/findings too), profiler/*.c but main.c becomes libbase.a, tui/ becomes libtui.a.

LINK_ORDER := cmd tui gate view model collect session symbols base

sources_of    = $(sort $(shell find $(1) -name '*.c' 2>/dev/null))
objects_of    = $(patsubst %.c,$(O)/%.o,$(1))
sources_base := $(filter-out profiler/main.c,$(sort $(wildcard profiler/*.c)))
sources_tui  := $(call sources_of,tui)
$(foreach x,$(filter-out base tui,$(LINK_ORDER)),\
	$(eval sources_$(x) := $(call sources_of,profiler/$(x))))
sources_reference := $(filter-out reference/main.c,$(call sources_of,reference))

# Folders that have no sources yet make no archive.
FOLDERS  := $(foreach x,$(LINK_ORDER),$(if $(sources_$(x)),$(x)))
ARCHIVES := $(FOLDERS:%=$(O)/lib%.a)

# A source that was removed leaves no newer object: archives depend on the list as well.
$(O)/sources: FORCE
	@mkdir -p $(@D)
	@$(call write_if_changed,$(sort $(foreach x,$(LINK_ORDER) reference,$(sources_$(x)))))

define archive_rule
$(O)/lib$(1).a: $(call objects_of,$(sources_$(1))) $(O)/sources
	$$(call say,AR,$$@)
	$$(Q)rm -f $$@ && ar rcs $$@ $$(filter %.o,$$^)
endef
$(foreach x,$(FOLDERS) $(if $(sources_reference),reference),$(eval $(call archive_rule,$(x))))

# Files of other languages, embedded as C arrays: F/NAME.sql is NAME_sql[] in $(O)/F/NAME_sql.h,
# included as "F/NAME_sql.h"; likewise .css, .js, docs/findings.md and inject/python/hook.py.
GENERATED := $(patsubst %.sql,$(O)/%_sql.h,$(shell find profiler -name '*.sql')) \
             $(patsubst %.py,$(O)/%_py.h,$(wildcard inject/python/*.py)) \
             $(patsubst %.css,$(O)/%_css.h,$(wildcard profiler/view/html/*.css)) \
             $(patsubst %.js,$(O)/%_js.h,$(wildcard profiler/view/html/*.js)) \
             $(O)/docs/findings_md.h $(O)/profiler/view/html/dygraph.h

# Kept: make would delete them as intermediate files.
.SECONDARY: $(GENERATED)
embed = mk/embed.sh $(notdir $(basename $@)) $< > $@
define embed_rule
$(O)/%_$(1).h: %.$(1) mk/embed.sh
	@mkdir -p $$(@D)
	$$(call say,GEN,$$@)
	$$(Q)$$(embed)
endef
$(foreach x,sql py css js md,$(eval $(call embed_rule,$(x))))

# The chart library of HTML reports, from the system's package (Debian: libjs-dygraphs). Without it
# they have a static picture only.
DYGRAPHS ?= /usr/share/javascript/dygraphs
$(O)/dygraphs: FORCE
	@mkdir -p $(@D)
	@$(call write_if_changed,$(wildcard $(DYGRAPHS)/dygraph.min.js))
$(O)/profiler/view/html/dygraph.h: $(O)/dygraphs mk/dygraphs.sh mk/embed.sh
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)mk/dygraphs.sh $(DYGRAPHS) > $@

PROGRAMS := $(O)/loopmem
ifneq ($(wildcard reference/main.c),)
PROGRAMS += $(O)/loopmem-fit
endif

$(O)/loopmem: $(O)/profiler/main.o $(ARCHIVES)
	$(call say,LD,$@)
	$(Q)$(CC) $(PROGRAM_LINK) -o $@ $(filter %.o %.a,$^) $(PROGRAM_LIBS)

$(O)/loopmem-fit: $(O)/reference/main.o $(O)/libreference.a
	$(call say,LD,$@)
	$(Q)$(CC) $(PROGRAM_LINK) -o $@ $^ -lm

$(O)/%.o: %.c $(O)/flags | $(O)/probe $(GENERATED)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(PROGRAM_FLAGS) -c -o $@ $<
