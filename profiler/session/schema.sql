-- The session: one profiled run in one SQLite database. This file is the schema, embedded in the program;
-- docs/session-format.md explains it. A change to a table changes SESSION_VERSION (PRAGMA user_version).
--
-- Times (t_ns and every *_ns) are nanoseconds since the session began, on CLOCK_MONOTONIC; meta.clock_ns and
-- meta.started_unix_ns tie them to the machine's clocks. NULL = unknown or not yet. Bytes are bytes.
-- All rows of one sampling round carry the same t_ns: a round is "one instant".

CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- One row a process ever seen in the job. (pid, start_ticks) is its identity on the machine.
CREATE TABLE process(
  id INTEGER PRIMARY KEY,
  pid INTEGER NOT NULL,
  start_ticks INTEGER NOT NULL,
  parent INTEGER REFERENCES process(id),   -- by fork or exec; NULL for the root
  role TEXT NOT NULL,                      -- root owner worker child forkserver resource-tracker shm-manager helper
  cmdline TEXT NOT NULL,
  instrumented INTEGER NOT NULL,           -- 1 = it has a segment
  born_ns INTEGER NOT NULL,                -- process start, or when first seen
  ended_ns INTEGER,                        -- last seen alive is earlier than this
  exit_code INTEGER, exit_signal INTEGER,  -- NULL = could not be learned
  allocator TEXT, python TEXT, python_state TEXT, python_reason TEXT,
  inherited_live_bytes INTEGER,            -- of the parent's heap, at the fork
  shared_at_fork_bytes INTEGER,            -- shared bytes, clean and dirty, of a forked child at its fork: those of its first rollup, and what it had copied by then
  rank INTEGER,                            -- of a distributed job, NULL = none
  fd_limit INTEGER                         -- descriptors it may have open (soft RLIMIT_NOFILE), NULL = unknown
);

CREATE TABLE pool(
  id INTEGER PRIMARY KEY,                  -- order of birth over the whole session: the number people see
  owner INTEGER NOT NULL REFERENCES process(id),
  owner_pool INTEGER NOT NULL,             -- its id in the owner's segment
  stage TEXT NOT NULL,                     -- other train sanity validate test predict
  epoch INTEGER,
  label TEXT, dataset TEXT, origin TEXT,
  start_method TEXT NOT NULL,              -- none fork spawn forkserver thread
  workers INTEGER NOT NULL,                -- declared
  batch_size INTEGER, prefetch INTEGER,
  persistent INTEGER NOT NULL, stateful INTEGER NOT NULL,
  named INTEGER NOT NULL DEFAULT 0,        -- 1 = the label is a person's, given in the program
  guessed INTEGER NOT NULL DEFAULT 0,      -- 1 = found from outside (attach): a guess
  grouped INTEGER NOT NULL DEFAULT 0,      -- 1 = processes with one origin that serve no loader: no batches
  expected_batches INTEGER,
  batches INTEGER NOT NULL DEFAULT 0,
  stall_ns INTEGER NOT NULL DEFAULT 0,
  begin_ns INTEGER NOT NULL, first_batch_ns INTEGER, last_batch_ns INTEGER,
  exhausted_ns INTEGER, end_ns INTEGER,    -- of the last use
  alloc_bytes INTEGER NOT NULL DEFAULT 0, free_bytes INTEGER NOT NULL DEFAULT 0  -- by the owner, inside next
);
CREATE TABLE pool_worker(
  pool INTEGER NOT NULL REFERENCES pool(id),
  process INTEGER NOT NULL REFERENCES process(id),
  worker_id INTEGER,
  PRIMARY KEY(pool, process)
) WITHOUT ROWID;

-- Edges, in order of time within a process; kinds are the names of enum loopmem_event_kind in lower case
-- ("pool-begin" ... "trim"), and the collector's own "process-seen" "process-ended" "oom-kill" "stale-shm" "earlier-shm" "note".
CREATE TABLE event(
  id INTEGER PRIMARY KEY,
  t_ns INTEGER NOT NULL,
  kind TEXT NOT NULL,
  process INTEGER, pool INTEGER,
  value INTEGER, value2 INTEGER, text TEXT
);

-- High rate (10 Hz): resident bytes from statm. anon = resident - shared (file and shmem). n: the rounds this one
-- stands for, which end with it; more than 1 where the session was thinned (meta.thinned_before_ns). n = 0: the rest
-- of its round was thinned away; it stays because growth since the process's rollup of the same t_ns is counted from it.
CREATE TABLE sample(
  t_ns INTEGER NOT NULL, process INTEGER NOT NULL,
  rss_bytes INTEGER NOT NULL, anon_bytes INTEGER NOT NULL, n INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY(t_ns, process)
) WITHOUT ROWID;

-- About 1 Hz: status, stat.
CREATE TABLE detail(
  t_ns INTEGER NOT NULL, process INTEGER NOT NULL,
  anon_bytes INTEGER, file_bytes INTEGER, shmem_bytes INTEGER, swap_bytes INTEGER, page_table_bytes INTEGER,
  locked_bytes INTEGER, minor_faults INTEGER, cpu_ticks INTEGER, voluntary_switches INTEGER,
  threads INTEGER, fds INTEGER, state TEXT, wchan TEXT,
  PRIMARY KEY(t_ns, process)
) WITHOUT ROWID;

-- At edges and from the token bucket: smaps_rollup, exact by walk. edge = 1: read because of an edge.
CREATE TABLE rollup(
  t_ns INTEGER NOT NULL, process INTEGER NOT NULL,
  rss_bytes INTEGER, pss_bytes INTEGER, pss_anon_bytes INTEGER, pss_file_bytes INTEGER, pss_shmem_bytes INTEGER,
  shared_clean_bytes INTEGER, shared_dirty_bytes INTEGER, private_clean_bytes INTEGER, private_dirty_bytes INTEGER,
  anonymous_bytes INTEGER, anon_huge_bytes INTEGER, swap_bytes INTEGER, swap_pss_bytes INTEGER,
  minor_faults INTEGER, wall_ns INTEGER NOT NULL, edge INTEGER NOT NULL,
  PRIMARY KEY(t_ns, process)
) WITHOUT ROWID;

-- About 1 Hz and at edges: the shim's exact counters, summed over threads and contexts. own live heap =
-- alloc - free.
CREATE TABLE heap(
  t_ns INTEGER NOT NULL, process INTEGER NOT NULL,
  alloc_bytes INTEGER, allocs INTEGER, free_bytes INTEGER, frees INTEGER,
  inherited_free_bytes INTEGER,
  map_anon_bytes INTEGER, map_shared_bytes INTEGER, map_file_bytes INTEGER, -- mapped now
  PRIMARY KEY(t_ns, process)
) WITHOUT ROWID;

-- Shared-memory objects, from the fd walk, de-duplicated by (dev, ino), per creating process.
-- class: parked = held by descriptors of workers only, mapped by nobody; in-use = mapped by the owner;
-- hostage = held or mapped only by workers that are not its creator. creator NULL = unknown. A walk that finds nothing
-- is one row of 0 objects.
CREATE TABLE shm(
  t_ns INTEGER NOT NULL, creator INTEGER, class TEXT NOT NULL,
  objects INTEGER NOT NULL, bytes INTEGER NOT NULL,
  unmapped_bytes INTEGER NOT NULL          -- of these, in no process's PSS: to be added to the sum of PSS
);
CREATE INDEX shm_time ON shm(t_ns);

-- 10 Hz: the job's cgroup (NULLs without one of its own or readable) and the machine.
CREATE TABLE system(
  t_ns INTEGER PRIMARY KEY,
  limit_bytes INTEGER, current_bytes INTEGER, anon_bytes INTEGER, shmem_bytes INTEGER, file_bytes INTEGER,
  kernel_bytes INTEGER, oom_kills INTEGER,
  available_bytes INTEGER, machine_shmem_bytes INTEGER, n INTEGER NOT NULL DEFAULT 1
) WITHOUT ROWID;

-- Call sites, sampled: which stacks allocated how much. A module is a loaded ELF object, told by path and build id (hex).
CREATE TABLE module(id INTEGER PRIMARY KEY, path TEXT NOT NULL, build_id TEXT);
-- One frame of a stack. Native: an address in the module's file (module NULL = generated code); Python: neither.
CREATE TABLE frame(id INTEGER PRIMARY KEY, module INTEGER, address INTEGER, native INTEGER NOT NULL);
-- Its names, the innermost of inlined functions first (depth 0). A native frame without a row has none.
CREATE TABLE symbol(
  frame INTEGER NOT NULL, depth INTEGER NOT NULL, function TEXT, file TEXT, line INTEGER,
  PRIMARY KEY(frame, depth)
) WITHOUT ROWID;
-- A stack is its innermost frame and the stack of the caller; NULL = the outermost.
CREATE TABLE stack(id INTEGER PRIMARY KEY, parent INTEGER, frame INTEGER NOT NULL);
-- One stack in one process, inside next of one of the process's own pools (pool.owner_pool) or outside (NULL). stack
-- NULL: samples without a stack, or whose stack found no room.
-- mapped = 1: memory that the program mapped itself, counted whether it was touched or not.
-- stage: of the phase of the process in which it was allocated, so a stack has a row for each stage; NULL = before its first
-- phase, or a process without phases (a worker: its pool's stage holds).
CREATE TABLE site(
  id INTEGER PRIMARY KEY, process INTEGER NOT NULL, owner_pool INTEGER, stack INTEGER, mapped INTEGER NOT NULL, stage TEXT
);
-- What a site stands for from t_ns on: estimates. Written when it changed; a process that ended holds nothing.
-- edge_live_bytes: live at the last edge between two phases of the process before t_ns, whenever that was read; NULL = it has no phases.
CREATE TABLE site_sample(
  t_ns INTEGER NOT NULL, site INTEGER NOT NULL,
  live_bytes INTEGER NOT NULL, live_blocks INTEGER NOT NULL,
  alloc_bytes INTEGER NOT NULL, alloc_blocks INTEGER NOT NULL,
  edge_live_bytes INTEGER,
  PRIMARY KEY(t_ns, site)
) WITHOUT ROWID;

-- What went wrong or was left out, once each with a count: what the views print as "skipped", "dropped".
CREATE TABLE note(text TEXT PRIMARY KEY, level TEXT NOT NULL, count INTEGER NOT NULL, first_ns INTEGER NOT NULL) WITHOUT ROWID;
