# Protected tables that Citus distributes, where it is installed: their rows are hidden on every server and
# every shard, whatever leads there; their owner reads, writes, moves and undistributes them; and no private
# answer leaves uncharged.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use CitusTest;
use IdpTest;
use LedgerTest qw(spent costs);
use Test::More;

plan skip_all => 'Citus is not installed' unless has_citus();

my @nodes = new_cluster('hidden_on_clusters');
my %sessions;

sub as
{
	my ($node, $role, $sql) = @_;
	my $s = $sessions{"$node $role"} //= do {
		my $s = session($nodes[$node]);
		$s->value("SET client_min_messages = warning; SET ROLE $role");
		$s;
	};
	return $s->run($sql);
}
sub does { my ($node, $role, $sql) = @_; my $r = as($node, $role, $sql); return $r->{message} // $r->{out} }

my $rows = 'SELECT i AS x, i % 3 AS g FROM generate_series(1, 100) i';
sub make
{
	my ($table) = @_;
	return is(does(0, 'keeper', "CREATE TABLE $table AS $rows; GRANT SELECT ON $table TO analyst"), '', "table $table");
}

# What an analyst tries on the coordinator and on a worker. Each must fail for the rows that are hidden.
# What a budget of 0 refuses was asked on the coordinator, where answers are charged (118).
my $hidden = qr/rows of (a )?table.*? are hidden from role "analyst"|privacy budget of table "\w+" is exhausted/;

sub hidden_everywhere
{
	my ($table, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	foreach my $node (0, 1)
	{
		like(does($node, 'analyst', $_), $hidden, "$name, node $node: $_") foreach "SELECT * FROM $table",
		  "SELECT count(*) FROM $table", "SELECT * FROM $table WHERE x = 5", "COPY $table TO STDOUT",
		  "COPY (SELECT * FROM $table) TO STDOUT", "SELECT dp_count(1000.0) FROM $table",
		  "WITH q AS MATERIALIZED (SELECT x FROM $table) SELECT dp_count(1000.0) FROM q",
		  "SELECT worker_partial_agg('idp_mode(integer, float8)'::regprocedure, x) FROM $table",
		  "EXPLAIN (ANALYZE) SELECT * FROM $table";
	}
	foreach my $select ('SELECT count(*) FROM %s', 'SELECT max(x) FROM %s', 'SELECT dp_count(1000.0) FROM %s',
		'SELECT x FROM %s ORDER BY x LIMIT 1')
	{
		my $on_table = sprintf $select, $table;
		foreach my $call ("run_command_on_workers(\$\$$on_table\$\$)", "run_command_on_all_nodes(\$\$$on_table\$\$)",
			"run_command_on_shards('$table', \$\$$select\$\$)", "run_command_on_placements('$table', \$\$$select\$\$)",
			"run_command_on_coordinator(\$\$$on_table\$\$)")
		{
			my $outcome = does(0, 'analyst', "SELECT * FROM $call");
			my @results = split /\n/, $outcome;
			is(scalar(grep { !/$hidden/ } @results), 0, "$name: $call") or diag $outcome;
			cmp_ok(scalar @results, '>', 0, "$call was tried");
		}
	}
	foreach my $node (0 .. 2)
	{
		my $shards = does($node, 'postgres',
			"SET citus.override_table_visibility = off; SELECT string_agg(oid::regclass::text, ' ') FROM pg_class "
			. "WHERE relname ~ '^${table}_[0-9]+\$' AND relkind IN ('r', 'p')");
		foreach my $shard (split ' ', $shards)
		{
			like(does($node, 'analyst', $_), $hidden, "$name, a shard: $_")
			  foreach "SELECT * FROM $shard", "COPY $shard TO STDOUT", "SELECT dp_count(1000.0) FROM $shard",
			  "SELECT worker_partial_agg('idp_mode(integer, float8)'::regprocedure, x) FROM $shard";
			is(does($node, 'analyst', "SELECT count(*) FROM pg_stats WHERE tablename = '$shard'"), 0,
				'nor are its statistics shown');
		}
	}
	return;
}

sub owner_reads
{
	my ($table, $count, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	foreach my $node (0, 1)
	{
		is(does($node, 'keeper', "SELECT count(*) FROM $table"), $count, "$name, node $node: the owner reads");
		is(does($node, 'keeper', "SELECT x FROM $table WHERE x = 7"), 7, 'a row');
		is(does($node, 'keeper', "PREPARE q_$table(int) AS SELECT x FROM $table WHERE x = \$1; "
			  . join('; ', ("EXECUTE q_$table(7)") x 7) . "; DEALLOCATE q_$table"), join("\n", (7) x 7), 'prepared');
		is(does($node, 'keeper', "WITH q AS MATERIALIZED (SELECT x FROM $table) SELECT count(*) FROM q"), $count,
			'by a CTE');
		is(does($node, 'keeper', "SELECT count(*), sum((SELECT max(x) FROM $table WHERE x < 5)) / $count FROM $table"),
			"$count|4", 'by subqueries');
		is(scalar(split /\n/, does($node, 'keeper', "COPY $table TO STDOUT")), $count, 'all rows');
	}
	return;
}

my $uncharged =
  qr/^(privacy budget of table "\w+" is exhausted|worker_partial_agg_sfunc could not confirm type correctness|queries of protected table "\w+" cannot be computed by custom scan|private answers? (about "\w+" )?cannot be (computed by a worker|charged)|private answer of a protected table cannot be charged here|rows of table|groups of table)/;

# Whoever asks, no answer that was computed out of sight.
sub no_answers
{
	my ($table, $role, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	foreach my $node (0, 1)
	{
		foreach my $sql ("SELECT dp_count(1000.0) FROM $table", "SELECT dp_count(1000.0) FROM $table WHERE x = 5",
			"SELECT g, dp_count(1000.0) FROM $table GROUP BY g", "SELECT idp_mode(x, 1000.0) FROM $table",
			"WITH q AS MATERIALIZED (SELECT x FROM $table) SELECT dp_count(1000.0) FROM q",
			"SELECT dp_count(1000.0) FROM (SELECT x FROM $table OFFSET 0) q",
			"SELECT (SELECT dp_count(1000.0) FROM $table)",
			"PREPARE q AS SELECT dp_count(1000.0) FROM $table; EXECUTE q; EXECUTE q",
				"CREATE TEMP TABLE kept AS SELECT dp_count(1000.0) AS n FROM $table",
				"CREATE TEMP TABLE answers (n bigint); INSERT INTO answers SELECT dp_count(1000.0) FROM $table",
			"SELECT worker_partial_agg('idp_mode(integer, float8)'::regprocedure, x) FROM $table",
			"DECLARE c CURSOR FOR SELECT dp_count(1000.0) FROM $table; FETCH c")
		{
			my $outcome = does($node, $role, "BEGIN; $sql");
			does($node, $role, 'ROLLBACK; DEALLOCATE ALL');
			like($outcome, $uncharged, "$name, node $node, $role: $sql");
		}
	}
	return;
}

# --- protected, then distributed; and the other way round ---------------------------------------------------

foreach my $case ([ 'before', "SELECT idp.protect('TABLE', 0), idp.set_domain('TABLE', 'g', ARRAY[0, 1, 2])",
	"SELECT create_distributed_table('TABLE', 'x')" ],
	[ 'after', "SELECT create_distributed_table('TABLE', 'x')",
		"SELECT idp.protect('TABLE', 0), idp.set_domain('TABLE', 'g', ARRAY[0, 1, 2])" ])
{
	my ($table, @steps) = @$case;
	make($table);
	like(does(0, 'keeper', s/TABLE/$table/gr), qr/^\W*$/, $_) foreach @steps;
	my $name = "protected $table";
	hidden_everywhere($table, $name);
	owner_reads($table, 100, $name);
	no_answers($table, 'keeper', $name);
	is(does(0, 'postgres', "SELECT rows, trim_scale(spent) FROM idp.protection WHERE table_name = '$table'"),
		'hidden|0', 'nothing was charged');
	is(does(0, 'keeper', "SELECT string_agg(d::text, ' ' ORDER BY d) FROM idp.domain('$table', 'g') d"), '0 1 2',
		'it keeps its domains');
	is(does(0, 'keeper', "INSERT INTO $table VALUES (101, 1); INSERT INTO $table SELECT i, 1 "
		. "FROM generate_series(102, 110) i; UPDATE $table SET g = 5 WHERE x = 7; DELETE FROM $table WHERE x > 105"),
		'', 'the owner writes');
	is(does(1, 'keeper', "UPDATE $table SET g = g + 1 WHERE x = 7; SELECT g FROM $table WHERE x = 7"), 6,
		'on a worker too');
	owner_reads($table, 105, "$name, written");
	foreach my $mode ('block_writes', 'force_logical')
	{
		like(does(0, 'postgres',
			"SELECT citus_move_shard_placement(shardid, p.nodename, p.nodeport::int, n.nodename, n.nodeport, '$mode') "
				  . "FROM (SELECT * FROM pg_dist_shard_placement WHERE shardid = (SELECT min(shardid) "
				  . "FROM pg_dist_shard WHERE logicalrelid = '$table'::regclass)) p, pg_dist_node n "
				  . "WHERE n.nodeport <> p.nodeport AND groupid > 0"),
			qr/^\W*$/, "a shard moves: $mode");
		owner_reads($table, 105, "$name, moved by $mode");
	}
	does(0, 'postgres', 'CALL citus_cleanup_orphaned_resources()');
	hidden_everywhere($table, "$name, moved");
	like(does(0, 'keeper', "CREATE POLICY own ON $table USING (x > 5)"),
		qr/^policies of table "[\w.]+" would show rows that are hidden/, 'its owner cannot add a policy');
	is(does(0, 'keeper', "SELECT idp.protect('$table', 0, epsilon => 2)"), '', 'its rules are set anew');
	hidden_everywhere($table, "$name, again");
	is(does(0, 'keeper', "SELECT alter_distributed_table('$table', shard_count => 2)"), '',
		'its owner gives it other shards');
	is(does(0, 'keeper', "SELECT idp.is_locked('$table')"), 't', 'which are locked');
	does(0, 'postgres', 'CALL citus_cleanup_orphaned_resources()');
	hidden_everywhere($table, "$name, other shards");
	owner_reads($table, 105, "$name, other shards");
	is(does(0, 'keeper', "SELECT undistribute_table('$table')"), '', 'it is undistributed');
	is(does(0, 'keeper', "SELECT count(*) FROM $table"), 105, 'with all its rows');
	is(does(0, 'keeper', "SELECT idp.is_locked('$table')"), 't', 'and locked');
	like(does(0, 'analyst', $_), $hidden, "undistributed: $_") foreach "SELECT * FROM $table", "COPY $table TO STDOUT";
	is(does(0, 'keeper', "SELECT idp.protect('$table', 1000000)"), '', 'it has a budget');
	my $observer = session($nodes[0]);
	costs($observer, $table, 1000, 'an answer then',
		sub { is(does(0, 'analyst', "SELECT dp_count(1000.0) FROM $table"), 105, 'answered') });
	$observer->quit;
}

# --- visible rows ----------------------------------------------------------------------------------------------

make('visible');
like(does(0, 'keeper', "SELECT idp.protect('visible', 0, rows => 'visible'); "
	  . "SELECT create_distributed_table('visible', 'x')"), qr/^\W*$/, 'visible, distributed');
foreach my $node (0, 1)
{
	is(does($node, 'analyst', 'SELECT count(*) FROM visible'), 100, "node $node: an analyst reads what is not hidden");
}
no_answers('visible', $_, 'visible') foreach 'keeper', 'analyst';
is(does(0, 'postgres', "SELECT trim_scale(spent) FROM idp.budget WHERE table_name = 'visible'"), 0,
	'nothing was charged');
is(does(0, 'keeper', "SELECT idp.protect('visible', 0, rows => 'hidden')"), '', 'hidden when it is distributed');
hidden_everywhere('visible', 'hidden later');
is(does(0, 'keeper', "SELECT idp.unprotect('visible')"), '', 'and unprotected');
is(does($_, 'analyst', 'SELECT count(*) FROM visible'), 100, "node $_: shown again") foreach 0, 1;
is(does(0, 'analyst', 'SELECT dp_count(1000.0) FROM visible'), 100, 'and answered on the coordinator');
is(does(0, 'analyst', 'WITH q AS MATERIALIZED (SELECT x FROM visible) SELECT dp_count(1000.0) FROM q'), 100,
	'by a CTE too');

# --- partitions, reference tables, tables of the coordinator -----------------------------------------------------

is(does(0, 'keeper',
	'CREATE TABLE parted (x int, g int) PARTITION BY LIST (g); CREATE TABLE parted_a PARTITION OF parted FOR '
	. 'VALUES IN (0); CREATE TABLE parted_b PARTITION OF parted FOR VALUES IN (1, 2); '
		  . "INSERT INTO parted $rows; GRANT SELECT ON parted, parted_a, parted_b TO analyst; "
		  . "SELECT idp.protect('parted', 0); SELECT create_distributed_table('parted', 'x')") =~ s/\s//gr,
		  	'', 'a partitioned table');
is(does(0, 'keeper',
	'CREATE TABLE parted_c PARTITION OF parted FOR VALUES IN (3); INSERT INTO parted VALUES (1, 3); GRANT '
	. 'SELECT ON parted_c TO analyst; SELECT count(*) FROM parted'), 101, 'with a later partition');
hidden_everywhere($_, "parts: $_") foreach 'parted', 'parted_a', 'parted_c';
make('referred');
is(does(0, 'keeper', "SELECT idp.protect('referred', 0); SELECT create_reference_table('referred')") =~ s/\s//gr, '',
	'a reference table');
owner_reads('referred', 100, 'a reference table');
hidden_everywhere('referred', 'a reference table');
make('placed');
is(does(0, 'keeper', "SELECT idp.protect('placed', 0), idp.set_domain('placed', 'g', ARRAY[0, 1, 2])"), '|',
	'a table with domains');
is(does(0, 'postgres', "SELECT citus_add_local_table_to_metadata('placed')"), '', 'which Citus adds to its metadata');
owner_reads('placed', 100, 'a table of the coordinator');
hidden_everywhere('placed', 'a table of the coordinator');
# What Citus leaves to this server is answered here, and charged.
make('paying');
is(does(0, 'keeper', "SELECT idp.protect('paying', 1000000), idp.set_domain('paying', 'g', ARRAY[0, 1, 2])"), '|',
	'one with a budget');
is(does(0, 'postgres', "SELECT citus_add_local_table_to_metadata('paying')"), '', 'likewise');
my $charged = 0;
foreach my $sql ('SELECT dp_count(1000.0) FROM paying', 'SELECT g, dp_count(1000.0) FROM paying GROUP BY g',
	'WITH q AS MATERIALIZED (SELECT x FROM paying) SELECT dp_count(1000.0) FROM q',
	'SELECT dp_count(1000.0) FROM (SELECT x FROM paying OFFSET 0) q')
{
	my $outcome = does(0, 'keeper', $sql);
	$charged += 1000 if $outcome eq '100';
	is(does(0, 'postgres', "SELECT trim_scale(spent) FROM idp.budget WHERE table_name LIKE 'paying%'"), $charged,
		"a table of the coordinator, charged or refused: $sql");
	like($outcome, qr/^100$|$uncharged/, 'which it is') or diag $outcome;
}

# A domain of a table that Citus has
make('keyed');
like(does(0, 'keeper', "SELECT create_distributed_table('keyed', 'x'); "
	  . "SELECT idp.set_domain('keyed', 'g', ARRAY[0, 1, 2, 3])"), qr/^\s*$/, 'a domain of a distributed table');
like(does(0, 'keeper', "SELECT idp.set_domain('placed', 'g', ARRAY[0, 1, 2, 3])"), qr/^\s*$/,
	'and of one of the coordinator');
like(does(0, 'keeper', "SELECT g, dp_count(1000.0) FROM $_ GROUP BY g"),
	qr/^groups of table "$_", which Citus distributes, cannot have the keys of a domain/,
	"$_: refused, saying why") foreach 'keyed', 'placed';
is(does(0, 'keeper', "SELECT idp.drop_domain('keyed', 'g'); SELECT g, dp_count(1000.0) FROM keyed "
	  . "GROUP BY g ORDER BY g"), "\n0|33\n1|34\n2|33", 'answered without it');

# --- with policies of its owner's ----------------------------------------------------------------------------------

make('own');
is(does(0, 'keeper', "CREATE POLICY few ON own USING (x < 10); ALTER TABLE own ENABLE ROW LEVEL SECURITY; "
	  . "SELECT idp.protect('own', 0)"), '', 'a hidden table with a policy');
foreach my $way ("create_distributed_table('own', 'x')", "create_reference_table('own')",
	"citus_add_local_table_to_metadata('own')")
{
	my $r = as(0, 'postgres', "SELECT $way");
	like($r->{message} // 'done', qr/^policies of table "[\w.]+" would show rows that are hidden/,
		"cannot become one of Citus: $way");
	like($r->{hint}, qr/Drop policies of the owner's before the table is distributed/, 'with a way out');
}
is(does(0, 'keeper', "SELECT idp.unprotect('own'); SELECT create_distributed_table('own', 'x')") =~ s/\s//gr, '',
	'distributed without protection');
my $r = as(0, 'keeper', "SELECT idp.protect('own', 0)");
like($r->{message} // 'done',
	qr/^rows of table "[\w.]+", which Citus distributes, cannot be hidden: it has policies of its owner's/,
	'it cannot be hidden then');
like($r->{hint}, qr/Drop these policies, or undistribute the table; or protect it with rows => 'visible'/,
	'with a way out');
is(does(0, 'keeper', "DROP POLICY few ON own; SELECT idp.protect('own', 0)"), '', 'which is one');
hidden_everywhere('own', 'without policies of its own');

# --- functions that run what they are given -------------------------------------------------------------------------

make('open');
is(does(0, 'keeper', "SELECT create_distributed_table('open', 'x')"), '', 'a table that everybody reads');
my @functions = ("run_command_on_workers('SELECT 1')", "run_command_on_all_nodes('SELECT 1')",
	"run_command_on_coordinator('SELECT 1')", "run_command_on_shards('open', 'SELECT count(*) FROM %s')",
	"run_command_on_placements('open', 'SELECT count(*) FROM %s')",
		"run_command_on_colocated_placements('open', 'open', 'SELECT 1')",
		"master_run_on_worker('{127.0.0.1}', '{1}', '{SELECT 1}', false)", "citus_run_local_command('SELECT 1')");
unlike(does(0, 'analyst', "SELECT * FROM $_"), qr/permission denied for function/, "open: $_") foreach @functions;
like(does(0, 'postgres', 'SELECT * FROM idp.close_side_channels()'), qr/^run_command_on_shards\(/m, 'closed');
like(does(0, 'analyst', "SELECT * FROM $_"), qr/^permission denied for function/, "closed: $_") foreach @functions;
is(does(0, 'analyst', $_), 100, "Citus works: $_") foreach 'SELECT count(*) FROM open',
	'WITH q AS MATERIALIZED (SELECT x FROM open OFFSET 0) SELECT count(*) FROM q JOIN open USING (x)',
	'SELECT dp_count(1000.0) FROM open';

# --- on a worker ----------------------------------------------------------------------------------------------------

$r = as(1, 'keeper', "SELECT idp.protect('own', 1)");
like($r->{message} // 'done', qr/^"own" cannot be protected here: Citus distributes it/,
	'an account is kept by the coordinator');
like($r->{hint}, qr/on the coordinator/, 'saying so');

is(does($_, 'postgres', 'SELECT count(*) > 0 FROM pg_class'), 't', "node $_ is alive") foreach 0 .. 2;
$_->quit foreach values %sessions;
$_->stop foreach reverse @nodes;
done_testing();
