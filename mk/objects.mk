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
# included as "F/NAME_sql.h"; inject/python/hook.py is hook_py[] in "inject/python/hook_py.h".
GENERATED := $(patsubst %.sql,$(O)/%_sql.h,$(shell find profiler -name '*.sql')) \
             $(patsubst %.py,$(O)/%_py.h,$(wildcard inject/python/*.py))

# Kept: make would delete them as intermediate files.
.SECONDARY: $(GENERATED)
embed = mk/embed.sh $(notdir $(basename $@)) $< > $@
$(O)/%_sql.h: %.sql mk/embed.sh
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)$(embed)
$(O)/%_py.h: %.py mk/embed.sh
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)$(embed)

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
