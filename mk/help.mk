help: ## print this list
	@echo 'Targets:'
	@grep -hE '^[a-z-]+:.*## ' Makefile mk/*.mk | \
		sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | sort | expand -t 16
	@echo 'Knobs (make KNOB=value):'
	@sed -n 's/^# Knobs: */  /p; s/^#         \([A-Z_]*=\)/  \1/p' Makefile
.PHONY: help
