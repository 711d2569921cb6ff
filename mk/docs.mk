# Man pages and completion: made from the program's own option tables, so it must run here.

MAN_PAGES := $(patsubst docs/man/%.in,$(O)/man/%,$(wildcard docs/man/*.1.in))
DOCS      := $(MAN_PAGES) $(O)/completion/loopmem

$(O)/man/%: docs/man/%.in $(O)/loopmem mk/man.sh
	@mkdir -p $(@D)
	$(call say,MAN,$@)
	$(Q)mk/man.sh $(O)/loopmem $< > $@

$(O)/man/loopmem-fit.1: $(O)/loopmem-fit

$(O)/completion/loopmem: $(O)/loopmem mk/completion.sh
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)mk/completion.sh $(O)/loopmem > $@

screens: $(PROGRAMS) ## capture docs/screens/ from the reference loop (tmux)
	@mk/screens.sh $(O)/loopmem $(O)/loopmem-fit docs/screens

.PHONY: screens
