# Hidden tables: what the server tells of rows other than by showing them: errors of constraints, of
# the table and of others that refer to it; locks; and rows that are synthesized.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('hidden_side_channels', 'jit = off', "session_preload_libraries = 'idp'");
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE keeper LOGIN;
CREATE ROLE analyst LOGIN;
GRANT CREATE ON SCHEMA public TO keeper, analyst;
SET ROLE keeper;
SQL
my $a = session($node);
$a->value('SET ROLE analyst');

# --- a session that has just used the table hides it ------------------------------------------------

$s->value(<<'SQL');
CREATE TABLE used (k int, ssn int) PARTITION BY LIST (k);
CREATE TABLE used_1 PARTITION OF used FOR VALUES IN (1);
CREATE TABLE used_2 PARTITION OF used FOR VALUES IN (2) PARTITION BY LIST (ssn);
CREATE TABLE used_2_1 PARTITION OF used_2 FOR VALUES IN (1);
INSERT INTO used VALUES (1, 1), (2, 1);
SELECT count(*) FROM used;
SELECT count(*) FROM used_2;
SQL
is($s->run("SELECT idp.protect('used', 10, rows => 'hidden')")->{message}, undef, 'a partitioned table that the session has just used');
is($s->value("SELECT rows FROM idp.budget WHERE table_name = 'used'"), 'hidden', 'is hidden');
is($s->run("SELECT idp.protect('used', 10, rows => 'visible')")->{message}, undef, 'shown again');
is($s->value("SELECT count(*) FROM pg_policy WHERE polrelid = ANY ('{used,used_1,used_2,used_2_1}'::regclass[])"), 0, 'without a trace of the lock');
$s->run("BEGIN; SELECT idp.protect('used', 10, rows => 'hidden'); ROLLBACK");
is($s->run("SELECT idp.protect('used', 10, rows => 'hidden')")->{message}, undef, 'hidden in a transaction that is rolled back, and in the next');
$s->run("SELECT idp.unprotect('used')");
$s = session($node);
$s->value('SET ROLE keeper');

# --- INSERT: constraints of what the rows are passed on to -------------------------------------------

$s->value('CREATE TABLE plain (x int); CREATE TABLE heir () INHERITS (plain)');
$s->value("SELECT idp.protect(name, 10, rows => 'hidden') FROM unnest(ARRAY['used', 'plain']::regclass[]) name");
$s->value('GRANT SELECT, INSERT ON used, used_1, used_2, used_2_1, plain, heir TO analyst');
my $refused = qr/^INSERT is refused: rows of table "\w+" are hidden from role "analyst"/;

sub insert { return $a->run("BEGIN; INSERT INTO $_[0]; ROLLBACK")->{message} // 'inserted' }
sub insert_refused
{
	my ($name, @rows) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	foreach (@rows)
	{
		like(insert($_), $refused, "$name: INSERT INTO $_");
		$a->run('ROLLBACK');
	}
	return;
}
is(insert('used VALUES (1, 1), (2, 1)'), 'inserted', 'without a unique index rows are inserted');
$s->value('CREATE UNIQUE INDEX one ON used_2_1 (ssn)');
insert_refused('a unique index of a leaf', map { ("used VALUES ($_)", "used_2 VALUES ($_)", "used_2_1 VALUES ($_)") } '2, 1', '1, 12346');
is(insert('used_1 VALUES (1, 1)'), 'inserted', 'another leaf has none');
$s->value('DROP INDEX one; ALTER TABLE used_1 ADD EXCLUDE USING btree (ssn WITH =)');
insert_refused('an exclusion constraint of a leaf', 'used VALUES (1, 1)', 'used VALUES (1, 12346)', 'used_1 VALUES (1, 1)');
is(insert('plain VALUES (1)'), 'inserted', 'a table that others inherit from');

# --- locks of SERIALIZABLE ------------------------------------------------------------------------------

$s->value("CREATE TABLE t AS SELECT i AS id FROM generate_series(1, 1000) i; CREATE INDEX ON t (id); GRANT SELECT, INSERT ON t TO analyst; SELECT idp.protect('t', 100, rows => 'hidden')");
$a->value('SET enable_seqscan = off; SET enable_bitmapscan = off');
foreach my $sql ('SELECT dp_count(1e-18) FROM t WHERE id = 5', 'SELECT dp_count(1e-18) FROM t WHERE id = 50000', 'INSERT INTO t VALUES (5)')
{
	my $result = $a->run("BEGIN ISOLATION LEVEL SERIALIZABLE; $sql");
	like($result->{message} // "answered: $result->{out}", qr/^rows of table "t" are hidden from role "analyst"/, "refused in SERIALIZABLE: $sql");
	like($result->{hint} // '', qr/REPEATABLE READ/, 'with a way out');
	is($s->value("SELECT count(*) FROM pg_locks WHERE mode = 'SIReadLock' AND relation IN ('t'::regclass, 't_id_idx'::regclass)"), 0, 'without a lock that tells');
	$a->run('ROLLBACK');
	is($a->run("BEGIN ISOLATION LEVEL REPEATABLE READ; $sql; ROLLBACK")->{message}, undef, 'not in REPEATABLE READ');
}
is($a->run('SET default_transaction_isolation = serializable; SELECT dp_count(0.1) FROM t')->{sqlstate}, '42501', 'nor where it is the default');
is($a->run('SELECT dp_count(0.1) FROM generate_series(1, 10)')->{message}, undef, 'other queries are answered');
is($s->run('BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT dp_count(0.1) FROM t; COMMIT')->{message}, undef, 'and the owner');
$a->value('RESET ALL; SET ROLE analyst');

sound($s, 'in the end');

done_testing();
