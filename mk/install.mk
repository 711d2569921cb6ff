# Installation. The shim is private: not in the linker's path, without a version in its name.

# The shell reads the paths from its environment: they may hold blanks and quotes.

into = "$$DESTDIR$$PREFIX/$(1)"
install: export DESTDIR := $(DESTDIR)
install: export PREFIX := $(PREFIX)

ifneq ($(filter $(O)/libloopmem.so,$(PROGRAMS)),)
install-shim = install -D -m 644 $(O)/libloopmem.so $(call into,lib/loopmem/libloopmem.so)
endif

install: $(PROGRAMS) $(DOCS) ## install under $(DESTDIR)$(PREFIX)
	@printf '  %-7s %s\n' INSTALL "$$DESTDIR$$PREFIX"
	$(Q)install -D -m 755 -t $(call into,bin) $(filter-out %.so,$(PROGRAMS))
	$(Q)$(install-shim)
	$(Q)install -D -m 644 -t $(call into,share/man/man1) $(MAN_PAGES)
	$(Q)install -D -m 644 -t $(call into,share/bash-completion/completions) $(O)/completion/loopmem
	$(Q)install -D -m 644 -t $(call into,share/zsh/site-functions) $(O)/completion/_loopmem
	$(Q)install -D -m 644 -t $(call into,share/fish/vendor_completions.d) $(O)/completion/loopmem.fish
	$(Q)install -D -m 644 -t $(call into,include) inject/loopmem.h
	$(Q)install -D -m 644 -t $(call into,share/loopmem/python) $(wildcard python/*.*)
	$(Q)install -D -m 644 -t $(call into,share/loopmem/python/loopmem) $(wildcard python/loopmem/*.*)

.PHONY: install

deb: ## build Debian packages of the committed tree under build/deb
	@mk/deps.sh install build deb
	$(call say,DEB,$(O)/deb)
	$(Q)rm -rf $(O)/deb
	$(Q)mk/deb.sh $(O)/deb
.PHONY: deb
