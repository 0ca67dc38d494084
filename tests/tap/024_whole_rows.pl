# A row of the ledger or of a release is there with all its index entries, or not at all, wherever its
# insertion fails and whatever its size: row 26 of the attacks.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('whole_rows', 'jit = off');
my $watch = session($node);
my ($s, $reader, $other) = map { session($node) } 1 .. 3;
$watch->value(<<'SQL');
CREATE TABLE t AS SELECT i AS x, i % 3 AS g FROM generate_series(1, 300) i;
CREATE TABLE public_data AS SELECT 1 AS x;
SELECT idp.protect('t', 1e9, 'add_remove', rows => 'visible');
CREATE ROLE analyst;
GRANT SELECT ON t TO analyst;
GRANT SELECT, UPDATE ON public_data TO analyst;
SQL

# Releases whose rows stay in one page, and whose rows are moved out of it in part.
my %question = (
	small => sub { "dp_count($_[1], '$_[0]')" },
	large => sub { "dp_histogram(x, $_[1], 0, 300, 3000, '$_[0]')" },);
sub ask
{
	my ($size, $name, $epsilon) = @_;
	return 'SELECT md5(' . $question{$size}->($name, $epsilon) . '::text) FROM t';
}
my $number = 0;

# What is asked after a failure is answered, charged as told, and stays the same when the indexes are
# built anew.
sub one_draw
{
	my ($name, $query, $cost) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $answer = costs($watch, 't', $cost, $name, sub { $s->value($query) });
	sound($watch, $name);
	$watch->value('REINDEX SCHEMA idp');
	is($s->value($query), $answer, "$name: one draw, also for indexes that are built anew");
	sound($watch, "$name, indexes anew");
	return;
}

# --- SERIALIZABLE --------------------------------------------------------------------------------

# The index in which the entry is refused, a query that reads its page and not the whole table, and
# which steps of a release insert into it: its first answer, or one at another level.
my %by_index = (
	charge_pkey => [ 'idp.charge WHERE account = 0', 'first' ],
	charge_family => [ 'idp.charge WHERE family = gen_random_uuid()', 'first', 'refined' ],
	chain_pkey => [ 'idp.chain WHERE id = gen_random_uuid()', 'first' ],
	chain_name_hash => [ 'idp.chain WHERE name_hash = 0', 'first' ],
	chain_family => [ 'idp.chain WHERE family = gen_random_uuid()', 'first' ],
	chain_level_chain => [ 'idp.chain_level WHERE chain = gen_random_uuid()', 'first', 'refined', 'tightened' ],);
my %epsilon = (first => 0.002, refined => 0.003, tightened => 0.001);

# The session has read what another one changed, and writes what the reader has read: it is the middle
# of a dangerous structure.
sub serializable
{
	my ($reads, @statements) = @_;
	$reader->value("BEGIN ISOLATION LEVEL SERIALIZABLE; SET LOCAL enable_seqscan = off; $reads");
	$s->value('BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT x FROM public_data');
	$other->value('BEGIN ISOLATION LEVEL SERIALIZABLE; UPDATE public_data SET x = x + 1; COMMIT');
	my @results = map { $s->run($_) } @statements;
	$s->run('COMMIT');
	$reader->value('COMMIT');
	return $results[-1];
}

foreach my $index (sort keys %by_index)
{
	my ($rows, @steps) = $by_index{$index}->@*;
	foreach my $step (@steps)
	{
		foreach my $size ('small', 'large')
		{
			my $release = "release " . ++$number;
			my $name = "SERIALIZABLE, $index, $step, $size";
			$s->value(ask($size, $release, $epsilon{first})) if $step ne 'first';
			my $before = spent($watch, 't');
			my $failed = serializable("SELECT count(*) FROM $rows", ask($size, $release, $epsilon{$step}));
			is($failed->{sqlstate}, '40001', "$name: refused") or diag $failed->{out};
			sound($watch, $name);
			# a charge that is there before the step that failed pays for it, or is lost with the first answer
			my $charged = $watch->value("SELECT trim_scale(spent - $before) FROM idp.budget WHERE table_name = 't'");
			my $cost = $step eq 'first' ? $epsilon{first} : $step eq 'tightened' || $charged > 0 ? 0 : 0.001;
			one_draw($name, ask($size, $release, $epsilon{$step}), $cost);
		}
	}
}

# The same by an ordinary role, which reads its views.
$_->value('SET ROLE analyst; SET enable_seqscan = off') foreach $s, $reader, $other;
foreach my $size ('small', 'large')
{
	my $release = 'release ' . ++$number;
	my $name = "SERIALIZABLE, ordinary roles, $size";
	$s->value(ask($size, $release, 0.001));
	my $failed = serializable('SELECT count(*) FROM idp.releases; SELECT count(*) FROM idp.ledger',
		"SELECT md5(idp.relax('$release', 0.002))");
	is($failed->{sqlstate}, '40001', "$name: refused");
	sound($watch, $name);
	$watch->value('REINDEX SCHEMA idp');
	is($s->value("SELECT md5(idp.relax('$release', 0.002))"), $s->value("SELECT md5(idp.relax('$release', 0.002))"),
		"$name: one draw");
	sound($watch, "$name, asked again");
}
$_->value('RESET ROLE; RESET enable_seqscan') foreach $s, $reader, $other;

# --- Entries that are refused, and rows that are cancelled ----------------------------------------

my $chunks = 'SELECT count(DISTINCT chunk_id) FROM '
  . $watch->value("SELECT reltoastrelid::regclass FROM pg_class WHERE oid = 'idp.chain_level'::regclass");
foreach my $size ('small', 'large')
{
	foreach my $level ('', 'in an exception block')
	{
		my $release = 'release ' . ++$number;
		my $name = "an index that refuses, $size $level";
		$s->value(ask($size, $release, 0.001));
		$watch->value("DELETE FROM idp.chain_level WHERE chain <> (SELECT id FROM idp.chain WHERE name = '$release'); "
			  . "VACUUM idp.chain_level");
		$watch->value('CREATE UNIQUE INDEX refuses ON idp.chain_level (role)');
		my $before = $watch->value($chunks);
		my $relax = "SELECT md5(idp.relax('$release', 0.002))";
		my $failed = $s->run($level ? ("DO \$\$BEGIN $relax; "
			  . "EXCEPTION WHEN unique_violation THEN RAISE; END\$\$") =~ s/SELECT/PERFORM/r : $relax);
		is($failed->{sqlstate}, '23505', "$name: refused");
		$watch->value('DROP INDEX idp.refuses; VACUUM idp.chain_level');
		is($watch->value($chunks), $before, "$name: nothing is left of it");
		one_draw($name, $relax, 0);
	}
}

# Stopped at any point: what was inserted is whole.
my %seen;
foreach my $round (1 .. 60)
{
	my $result = $s->run_within(2 * $round . 'ms',
		"SELECT md5(dp_histogram(x, 0.001, 0, 300, 20000, 'stopped $round')::text) FROM t; "
		  . "SELECT md5(idp.relax('stopped $round', 0.002)), md5(idp.relax('stopped $round', 0.0005))");
	$seen{ $result->{sqlstate} // 'none' }++;
}
cmp_ok($seen{57014}, '>', 5, 'some were stopped');
sound($watch, 'stopped');
my $released = "SELECT md5(string_agg(name || answer, ' ' ORDER BY name)) FROM idp.releases WHERE name LIKE 'stopped%'";
my $answers = $watch->value($released);
$watch->value('REINDEX SCHEMA idp');
is($watch->value($released), $answers, 'stopped: one draw');
sound($watch, 'stopped, indexes anew');

# --- What the transaction itself would take back -------------------------------------------------

foreach my $case (
	[ 'REINDEX', 'REINDEX TABLE idp.charge' ],
	[ 'REINDEX of an index', 'REINDEX INDEX idp.charge_pkey' ],
	[ 'REINDEX, and another one taken back', 'REINDEX INDEX idp.charge_pkey', 'SAVEPOINT a',
		'REINDEX INDEX idp.charge_pkey', 'ROLLBACK TO a' ],
	[ 'REINDEX of what holds large values', 'DO $$BEGIN EXECUTE (SELECT format($f$REINDEX TABLE %s$f$, '
		  . 'reltoastrelid::regclass) FROM pg_class WHERE oid = $i$idp.chain_level$i$::regclass); END$$' ],
	[ 'CLUSTER', 'CLUSTER idp.charge USING charge_pkey' ],
	[ 'TRUNCATE', 'TRUNCATE idp.charge, idp.chain' ],
	[ 'DROP INDEX', 'DROP INDEX idp.chain_family' ],
	[ 'CREATE INDEX', 'CREATE INDEX more ON idp.charge (role)' ],
	[ 'ALTER TABLE', 'ALTER TABLE idp.charge ALTER COLUMN release DROP NOT NULL' ],
	[ 'another tablespace', 'ALTER INDEX idp.charge_pkey SET TABLESPACE pg_default', 'REINDEX INDEX idp.charge_pkey' ],)
{
	my ($name, @statements) = @$case;
	my $release = 'release ' . ++$number;
	$s->value(join '; ', 'BEGIN', @statements);
	my $failed = $s->run(ask('large', $release, 0.001));
	is($failed->{sqlstate}, '55000', "$name in the same transaction: refused") or diag $failed->{err};
	like($failed->{message} // '',
		qr/^private answers cannot be charged or stored after the transaction changed "\w+"$/, "$name: why");
	$s->value('ROLLBACK');
	one_draw($name, ask('large', $release, 0.001), 0.001);
}
# what was taken back already does no harm
$s->value('BEGIN; SAVEPOINT a; REINDEX TABLE idp.charge; ROLLBACK TO a');
one_draw('REINDEX, taken back', 'SELECT dp_count(0.001) IS NULL FROM t', 0.001);
$s->value('ROLLBACK');
# a table that is not logged would be empty after a crash
$watch->value('ALTER TABLE idp.chain_level SET UNLOGGED');
is($s->run(ask('small', 'unlogged', 0.001))->{sqlstate}, '55000', 'a table that is not logged is not written to');
$watch->value('ALTER TABLE idp.chain_level SET LOGGED');

# An index that is not understood stops answers, and spoils nothing.
foreach my $index ('idp.charge ((account + 1))', 'idp.charge (account) WHERE entry > 0',
	'idp.charge USING hash (account)')
{
	$watch->value("CREATE INDEX odd ON $index");
	my $failed = $s->run('SELECT dp_count(0.001) FROM t');
	is($failed->{sqlstate}, '55000', "an index on $index: refused");
	$watch->value('DROP INDEX idp.odd');
	sound($watch, "an index on $index");
}

$_->alive('at the end') foreach $s, $reader, $other, $watch;
$_->quit foreach $s, $reader, $other, $watch;
$node->stop;
done_testing();
