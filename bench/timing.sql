\set QUIET on
SET client_min_messages = error;
CREATE EXTENSION idp;
CREATE TABLE ten AS SELECT i AS x FROM generate_series(1, 10) i;
CREATE TABLE timed (what text, noise int8, us float8);
SELECT set_config('timing.draws', :'draws', false) \g /dev/null

DO $$
DECLARE
  before timestamptz;
  after timestamptz;
  answer int8;
BEGIN
  FOR i IN 1 .. current_setting('timing.draws')::int LOOP
    before := clock_timestamp();
    SELECT dp_count(0.1) INTO answer FROM ten;
    after := clock_timestamp();
    INSERT INTO timed VALUES ('answer over ten rows', answer - 10, extract(epoch FROM after - before) * 1e6);
  END LOOP;
END $$;

DO $$
DECLARE
  before timestamptz;
  after timestamptz;
  coarse int8;
  answer int8;
BEGIN
  FOR i IN 1 .. current_setting('timing.draws')::int LOOP
    SELECT dp_count(0.1, 'release ' || i) INTO coarse FROM ten;
    before := clock_timestamp();
    SELECT idp.relax('release ' || i, 0.2) INTO answer;
    after := clock_timestamp();
    INSERT INTO timed VALUES ('idp.relax', answer - 10, extract(epoch FROM after - before) * 1e6);
    IF i % 1000 = 0 THEN COMMIT; END IF;
  END LOOP;
END $$;

-- ties share their middle rank; the hundredth that took longest is left out
WITH usual AS (
  SELECT *, percent_rank() OVER (PARTITION BY what ORDER BY us) AS place FROM timed
), ranked AS (
  SELECT what, abs(noise) AS size, us,
         rank() OVER (PARTITION BY what ORDER BY abs(noise)) + count(*) OVER (PARTITION BY what, abs(noise)) / 2.0 AS size_rank,
         rank() OVER (PARTITION BY what ORDER BY us) + count(*) OVER (PARTITION BY what, us) / 2.0 AS us_rank
  FROM usual WHERE place < 0.99
)
SELECT what, count(*) AS draws, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY us)::numeric, 1) AS "median us",
       round(corr(size, us)::numeric, 4) AS pearson, round(corr(size_rank, us_rank)::numeric, 4) AS spearman
FROM ranked GROUP BY what ORDER BY what;
