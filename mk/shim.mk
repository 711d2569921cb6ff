# build/libloopmem.so, the library that runs inside the user's processes. Its export map is made
# from inject/hooks.def and the functions of inject/loopmem.h: nothing else leaves it.

shim_sources := $(call sources_of,inject)
shim_objects := $(patsubst %.c,$(O)/%.pic.o,$(shim_sources))

ifneq ($(shim_sources),)
PROGRAMS += $(O)/libloopmem.so

$(O)/libloopmem.so: $(shim_objects) $(O)/inject/exports.map
	$(call say,LD,$@)
	$(Q)$(CC) -shared -pthread -fno-lto -Wl,-z,now -Wl,-z,defs -Wl,-z,nodelete -Wl,--as-needed \
		-Wl,--version-script=$(O)/inject/exports.map -static-libgcc -Wl,--exclude-libs,ALL -o $@ $(shim_objects) -lm -ldl

# For unit tests of single modules.
$(O)/libinject.a: $(shim_objects)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

$(O)/inject/%.pic.o: inject/%.c $(O)/flags | $(O)/probe $(GENERATED)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(SHIM_FLAGS) -c -o $@ $<
endif

$(O)/inject/exports.map: mk/exports.sh inject/hooks.def inject/loopmem.h
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)CC='$(CC)' mk/exports.sh inject/hooks.def inject/loopmem.h > $@
