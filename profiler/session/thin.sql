-- One chunk of thinning: the rows with :first_ns <= t_ns < :end_ns, in spans of :span_ns. thin.c has filled temp.round
-- with the rounds of the chunk and runs these statements in order, in one transaction.

-- Rounds in which an edge lies: sampled because of one, or the first at or after an edge of a pool or phase.
UPDATE temp.round SET edge = 1 WHERE t_ns IN (
  SELECT t_ns FROM rollup WHERE t_ns >= :first_ns AND t_ns < :end_ns AND rollup.edge
  UNION ALL
  SELECT (SELECT min(r.t_ns) FROM temp.round r WHERE r.t_ns >= event.t_ns) FROM event
   WHERE event.t_ns >= :first_ns AND event.t_ns < :end_ns
     AND (kind GLOB 'pool-*' OR kind GLOB 'phase-*' OR kind IN ('release', 'oom-kill')));

-- Kept: of each span the largest round and its edges (a bounded number: a run of many short pools must stay small too),
-- and the last round of the chunk, from which the figures of the next chunk are carried on.
INSERT INTO temp.keep(t_ns)
SELECT t_ns FROM (
  SELECT t_ns, edge,
         row_number() OVER (PARTITION BY t_ns / :span_ns ORDER BY total_bytes DESC, t_ns) AS place,
         row_number() OVER (PARTITION BY t_ns / :span_ns, edge ORDER BY total_bytes DESC, t_ns) AS edge_place
    FROM temp.round)
 WHERE place = 1 OR (edge AND edge_place <= :edges_in_span)
UNION
SELECT max(t_ns) FROM temp.round;

-- A kept round stands for all rounds since the kept one before it.
UPDATE temp.keep SET n = (
  SELECT sum(r.n) FROM temp.round r
   WHERE r.t_ns <= keep.t_ns
     AND r.t_ns > (SELECT coalesce(max(k.t_ns), -1) FROM temp.keep k WHERE k.t_ns < keep.t_ns));

-- What is read less often than the samples is carried forward to the rounds after it: a row goes when the next one of
-- its kind and process comes before any kept round.
INSERT INTO temp.gone(kind, t_ns, process)
SELECT kind, t_ns, process FROM (
  SELECT kind, t_ns, process, lead(t_ns, 1, :end_ns) OVER (PARTITION BY kind, process ORDER BY t_ns) AS next_ns
    FROM (SELECT 'rollup' AS kind, t_ns, process FROM rollup WHERE t_ns >= :first_ns AND t_ns < :end_ns
          UNION ALL SELECT 'detail', t_ns, process FROM detail WHERE t_ns >= :first_ns AND t_ns < :end_ns
          UNION ALL SELECT 'heap', t_ns, process FROM heap WHERE t_ns >= :first_ns AND t_ns < :end_ns
          UNION ALL SELECT 'system', t_ns, 0 FROM system WHERE t_ns >= :first_ns AND t_ns < :end_ns
          UNION ALL SELECT DISTINCT 'shm', t_ns, 0 FROM shm WHERE t_ns >= :first_ns AND t_ns < :end_ns)) r
 WHERE NOT EXISTS (SELECT 1 FROM temp.keep k WHERE k.t_ns >= r.t_ns AND k.t_ns < r.next_ns);

DELETE FROM rollup WHERE (t_ns, process) IN (SELECT t_ns, process FROM temp.gone WHERE kind = 'rollup');
DELETE FROM detail WHERE (t_ns, process) IN (SELECT t_ns, process FROM temp.gone WHERE kind = 'detail');
DELETE FROM heap WHERE (t_ns, process) IN (SELECT t_ns, process FROM temp.gone WHERE kind = 'heap');
DELETE FROM shm WHERE t_ns IN (SELECT t_ns FROM temp.gone WHERE kind = 'shm');

INSERT INTO temp.keep_system(t_ns)
SELECT t_ns FROM system
 WHERE t_ns >= :first_ns AND t_ns < :end_ns AND t_ns NOT IN (SELECT t_ns FROM temp.gone WHERE kind = 'system');
UPDATE temp.keep_system SET n = (
  SELECT sum(s.n) FROM system s
   WHERE s.t_ns <= keep_system.t_ns
     AND s.t_ns > max(:first_ns - 1, (SELECT coalesce(max(k.t_ns), -1) FROM temp.keep_system k
                                       WHERE k.t_ns < keep_system.t_ns)));
DELETE FROM system WHERE t_ns IN (SELECT t_ns FROM temp.gone WHERE kind = 'system');
UPDATE system SET n = (SELECT k.n FROM temp.keep_system k WHERE k.t_ns = system.t_ns)
 WHERE t_ns >= :first_ns AND t_ns < :end_ns;

-- Growth since a rollup is counted from the sample of its moment, so that one stays, as no round of its own: n = 0.
DELETE FROM sample
 WHERE t_ns >= :first_ns AND t_ns < :end_ns AND t_ns NOT IN (SELECT t_ns FROM temp.keep)
   AND NOT EXISTS (SELECT 1 FROM rollup r WHERE r.t_ns = sample.t_ns AND r.process = sample.process);
UPDATE sample SET n = coalesce((SELECT k.n FROM temp.keep k WHERE k.t_ns = sample.t_ns), 0)
 WHERE t_ns >= :first_ns AND t_ns < :end_ns;

-- Of each site the last reading of a span stays: it is what holds from there on.
DELETE FROM site_sample
 WHERE t_ns >= :first_ns AND t_ns < :end_ns
   AND (t_ns, site) NOT IN (SELECT max(t_ns), site FROM site_sample
                             WHERE t_ns >= :first_ns AND t_ns < :end_ns GROUP BY t_ns / :span_ns, site);
