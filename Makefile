# The extension, built the PGXS way: make, make install, make installcheck.
#   CXX=clang++   another compiler
#   WERROR=1      warnings of our own files are errors
#   PG_CONFIG=…   another server
#   TAP_TESTS=1   installcheck also starts servers of its own
EXTENSION = idp
MODULE_big = idp
DATA = $(wildcard extension/sql/idp--*.sql)
OBJS = $(patsubst %.cpp,%.o,$(sort $(wildcard core/*/*.cpp extension/*.cpp extension/*/*.cpp)))

# As system headers, the server's own do not warn: what -Wextra finds in them differs by version.
PG_CPPFLAGS = -I$(CURDIR) -isystem $(shell $(PG_CONFIG) --includedir-server)
# Debian's flags are gcc's. The server's makefiles give COPT, in which a package build has its own, to C alone: a path of the
# build would be in the library.
PG_CXXFLAGS = -std=c++20 -Wall -Wextra -fvisibility=hidden -MD -MP $(if $(WERROR),-Werror) \
	$(if $(findstring clang,$(CXX)),-Wno-unknown-warning-option) $(filter -ffile-prefix-map=%,$(COPT))
SHLIB_LINK += -lmpfr -lgmpxx -lgmp -lstdc++
# Bitcode would only serve to inline our C++ into JIT-compiled expressions.
override with_llvm = no

# a database of its own that suits them, whatever the locale of the server
database = --load-extension=idp --encoding=UTF8 --no-locale

REGRESS = $(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql)))
REGRESS_OPTS = $(database)

# Where two sessions meet.
ISOLATION = $(patsubst tests/isolation/specs/%.spec,%,$(sort $(wildcard tests/isolation/specs/*.spec)))
ISOLATION_OPTS = $(database) --inputdir=$(CURDIR)/tests/isolation

# With TAP_TESTS=1 installcheck also runs those that start servers of their own, with the extension
# that is installed. They refuse to run as root.
PROVE_TESTS ?= tests/tap/*.pl

EXTRA_CLEAN = $(OBJS:.o=.d) build/install_script

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

-include $(OBJS:.o=.d)

# The install script: what CREATE EXTENSION runs, printed from core/aggregate/statistic.h.
#   make install-script         writes it
#   make check-install-script   says whether it is what would be written
generate = extension/sql/generate
install_script = extension/sql/idp--$(shell sed -n "s/^default_version = '\(.*\)'/\1/p" idp.control).sql

build/install_script: $(generate)/install_script.cpp $(wildcard core/*/*.h)
	@mkdir -p $(@D)
	$(CXX) -std=c++20 -Wall -Wextra $(if $(WERROR),-Werror) -I. -o $@ $< -lgmpxx -lgmp

.PHONY: install-script check-install-script
install-script: build/install_script
	$< $(generate)/idp.sql >$(install_script)
check-install-script: build/install_script
	$< $(generate)/idp.sql | diff -u $(install_script) -
