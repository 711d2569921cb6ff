# Compiler and linker flags, and the probe for the libraries they name.

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
            -Wwrite-strings -Wvla -Wimplicit-fallthrough -Wformat=2 -Wundef
ifeq ($(WERROR),1)
WARNINGS += -Werror
endif

ifeq ($(DEBUG),1)
OPTIMIZE := -O0 -g3
else
OPTIMIZE := -O2 -g
endif

ifneq ($(SAN),)
SANITIZE := -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
endif

# Libraries of the program; the shim uses none of them.
PACKAGES      := sqlite3 jansson ncursesw libdw libelf zlib
PACKAGE_FLAGS := $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null)
PACKAGE_LIBS  := $(shell pkg-config --libs $(PACKAGES) 2>/dev/null)

BASE_FLAGS    := -std=gnu11 -D_GNU_SOURCE -fno-common -pthread -I. -I$(O) -MMD -MP
PROGRAM_FLAGS := $(BASE_FLAGS) $(WARNINGS) $(OPTIMIZE) $(SANITIZE) $(PACKAGE_FLAGS) $(CFLAGS)
PROGRAM_LINK  := -pthread $(SANITIZE) -Wl,--as-needed $(LDFLAGS)
PROGRAM_LIBS  := $(PACKAGE_LIBS) -liberty -lm

# The shim lives in other people's processes: never sanitized, never LTO, no canaries (its hooks
# run before they are set up), no _chk symbols, thread state in the static TLS block.
SHIM_FLAGS := $(BASE_FLAGS) -DLOOPMEM_SHIM $(WARNINGS) -g -O2 -fPIC -ftls-model=initial-exec \
              -fno-stack-protector -U_FORTIFY_SOURCE -fno-lto -fvisibility=hidden
ifeq ($(DEBUG),1)
SHIM_FLAGS += -g3 -DLOOPMEM_DEBUG
endif

# Objects depend on this file, so a change of flags or compiler rebuilds them.
FLAGS_TEXT := $(CC) | $(PROGRAM_FLAGS) | $(PROGRAM_LINK) | $(PROGRAM_LIBS) | $(SHIM_FLAGS)
write_if_changed = printf '%s\n' '$(1)' | cmp -s - $@ || printf '%s\n' '$(1)' > $@
$(O)/flags: FORCE
	@mkdir -p $(@D)
	@$(call write_if_changed,$(FLAGS_TEXT))

# Fails with the package's name when a library or tool is missing.
$(O)/probe: mk/deps.sh mk/packages
	@mkdir -p $(@D)
	@CC='$(CC)' mk/deps.sh probe build
	@touch $@
