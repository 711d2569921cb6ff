# Man pages and completion: made from the program's own option tables, so it must run here.

MAN_PAGES := $(patsubst docs/man/%.in,$(O)/man/%,$(wildcard docs/man/*.1.in))
DOCS      := $(MAN_PAGES) $(O)/completion/loopmem $(O)/completion/_loopmem $(O)/completion/loopmem.fish

$(O)/man/%: docs/man/%.in $(O)/loopmem mk/man.sh
	@mkdir -p $(@D)
	$(call say,MAN,$@)
	$(Q)mk/man.sh $(O)/loopmem $< > $@

$(O)/man/loopmem-fit.1: $(O)/loopmem-fit

define completion_rule
$(O)/completion/$(1): $(O)/loopmem mk/$(2)
	@mkdir -p $$(@D)
	$$(call say,GEN,$$@)
	$$(Q)mk/$(2) $(O)/loopmem > $$@
endef
$(eval $(call completion_rule,loopmem,completion.sh))
$(eval $(call completion_rule,_loopmem,completion-zsh.sh))
$(eval $(call completion_rule,loopmem.fish,completion-fish.sh))
