# The gate of a hidden table holds whatever becomes of its policies: where restrictive ones are made
# permissive, as Citus does on shards, and where no account is, as on a worker of a cluster.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest qw(spent);
use Test::More;

my $node = new_node('gates', 'jit = off');
my $s = session($node);
my $hidden = qr/rows of (a )?table.* are hidden from role/;

# Makes the policies of a table anew on another one, as Citus does: none is restrictive.
my $copy_policies = <<'SQL';
CREATE FUNCTION copy_policies(source regclass, target regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE p record;
BEGIN
  FOR p IN SELECT polname, pg_get_expr(polqual, polrelid) AS qual, pg_get_expr(polwithcheck, polrelid) AS check
    FROM pg_policy WHERE polrelid = source ORDER BY polname
  LOOP
    EXECUTE format('CREATE POLICY %I ON %s FOR ALL TO PUBLIC USING (%s) WITH CHECK (%s)', p.polname,
      target, p.qual, p.check);
  END LOOP;
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
END$$;
SQL
$s->value('CREATE ROLE keeper; CREATE ROLE analyst LOGIN; CREATE ROLE reader; GRANT pg_read_all_data TO reader; '
	  . 'GRANT CREATE ON SCHEMA public TO keeper');
$s->value($copy_policies);
$s->value(<<'SQL');
SET client_min_messages = error;
SET ROLE keeper;
CREATE TABLE whole (x int, part int) PARTITION BY LIST (part);
CREATE TABLE part_1 PARTITION OF whole FOR VALUES IN (1);
CREATE TABLE parent (x int, part int);
CREATE TABLE child () INHERITS (parent);
SELECT idp.protect('whole', 1000000), idp.protect('parent', 1000000);
CREATE TABLE part_2 PARTITION OF whole FOR VALUES IN (2);
CREATE TABLE later () INHERITS (child);
INSERT INTO whole SELECT i, 1 + i % 2 FROM generate_series(1, 100) i;
INSERT INTO later SELECT i, 1 FROM generate_series(1, 10) i;
GRANT SELECT, INSERT ON whole, part_1, part_2, parent, child, later TO analyst;
RESET ROLE;
SQL

# As the first statement of a session that has not loaded the library.
sub of_analyst
{
	my ($sql, $database, $role) = @_;
	my ($ret, $out, $err) = $node->psql($database // 'postgres', $sql, extra_params => [ '-U', $role // 'analyst' ]);
	return $err || $out;
}
sub of_session
{
	my ($role, $sql, $database) = @_;
	my $session = session($node, $database);
	$session->value("SET client_min_messages = error; LOAD 'idp'; SET ROLE $role");
	my $r = $session->run($sql);
	$session->quit;
	return $r->{message} // $r->{out};
}
my @reads = map { my $r = $_; map { s/TABLE/$r/r } 'SELECT * FROM TABLE', 'SELECT count(*) FROM TABLE WHERE x > 3',
	  'COPY TABLE TO STDOUT', 'COPY (SELECT x FROM TABLE) TO STDOUT',
	'SELECT dp_count(1000.0) FROM TABLE', 'WITH q AS MATERIALIZED (SELECT * FROM TABLE) SELECT dp_count(1000.0) FROM q',
	'SELECT dp_count(1) FROM TABLE WHERE idp.approved() OR x > 0' } 'copied';

# --- restrictive or not --------------------------------------------------------------------------------------

foreach my $table (qw(whole part_1 part_2 parent child later))
{
	$s->value("CREATE TABLE copied AS SELECT i AS x FROM generate_series(1, 50) i; ALTER TABLE copied OWNER TO keeper; "
		  . "GRANT SELECT, INSERT ON copied TO analyst; SELECT copy_policies('$table', 'copied'); ANALYZE copied");
	foreach my $sql (@reads)
	{
		like(of_analyst($sql), qr/rows of (a )?table.* are hidden from role "analyst"/,
			"policies of $table, none of them restrictive: $sql");
		my $refusal = $sql =~ /approved/ ? qr/is the condition of policies of hidden tables/ : $hidden;
		like(of_session('analyst', $sql), $refusal, 'and with the library');
		like(of_session('reader', $sql), $refusal, 'whoever asks');
	}
	is(of_session('analyst', "SELECT * FROM pg_stats WHERE tablename = 'copied'"), '', 'nor is anything in pg_stats');
	is($s->value('SELECT count(*) FROM copied'), 50, 'a superuser reads them');
	is(of_session('keeper', 'SELECT count(*) FROM copied'), 50, 'so does the owner');
	is(of_session('keeper', 'UPDATE copied SET x = x + 1 WHERE x = 1; SELECT dp_count(1000.0) FROM copied'), 50,
		'... who writes and asks');
	is(of_session('analyst', 'INSERT INTO copied VALUES (1)'), '', 'who may insert inserts');
	$s->value('DROP TABLE copied');
}

# --- without an account --------------------------------------------------------------------------------------

$s->value("CREATE TABLE copied AS SELECT i AS x, repeat('x', 10000) || i AS long FROM generate_series(1, 50) i; "
	  . "ALTER TABLE copied OWNER TO keeper; GRANT ALL ON copied TO analyst; SELECT copy_policies('whole', 'copied'); "
	  . "ALTER TABLE copied DISABLE ROW LEVEL SECURITY");
my @changes = ('UPDATE copied SET x = 0', 'DELETE FROM copied', 'SELECT * FROM copied FOR UPDATE',
	'INSERT INTO copied VALUES (1) RETURNING x');
like(of_session('analyst', $_), qr/hidden (from role|rows)|refused|rows of table|policies of hidden tables/,
	"the gate alone hides, row security or not: $_") foreach @reads, @changes;
is($s->value('SELECT count(*) FROM copied'), 50, 'and nothing changed');
$s->value("SELECT idp.unprotect('copied')");
is(of_session('analyst', 'SELECT count(*) FROM copied'), 50, 'until the owner ends it');
$s->value('DROP TABLE copied');

my $dump = $node->basedir . '/dump.sql';
$node->command_ok([ 'pg_dump', '--exclude-table-data=idp.*', '-f', $dump, $node->connstr('postgres') ],
	'pg_dump, without the ledger');
$node->safe_psql('postgres', 'CREATE DATABASE bare TEMPLATE template0');
$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', $dump, $node->connstr('bare') ], 'is restored');
is($node->safe_psql('bare', 'SELECT count(*) FROM idp.account'), 0, 'no account is there');
$node->safe_psql('bare', 'ALTER TABLE whole DISABLE ROW LEVEL SECURITY');
like(of_session('analyst', $_, 'bare'), $hidden, "nor rows: $_") foreach 'SELECT * FROM whole',
  'SELECT dp_count(1) FROM whole', 'SELECT * FROM later', 'COPY whole TO STDOUT', 'COPY part_1 TO STDOUT';

# --- the owner's own policies mean what they meant ------------------------------------------------------------

$s->value(<<'SQL');
SET client_min_messages = error;
SET ROLE keeper;
CREATE TABLE before AS SELECT i AS x FROM generate_series(1, 100) i;
CREATE TABLE after AS TABLE before;
ALTER TABLE before ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON before USING (x <= 30);
SELECT idp.protect('before', 1000000), idp.protect('after', 1000000);
GRANT SELECT ON before, after TO analyst;
RESET ROLE;
SQL
sub answers_count
{
	my ($before, $after, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(of_session('analyst', 'SELECT dp_count(1000.0) FROM before'), $before, "a policy of before idp.protect: $name");
	is(of_session('analyst', 'SELECT dp_count(1000.0) FROM after'), $after, "one of after it: $name");
	like(of_analyst($_), qr/are hidden from role/, "rows are hidden: $_")
	  foreach 'SELECT * FROM before', 'SELECT * FROM after', 'COPY after TO STDOUT';
	is($s->value("SELECT string_agg(rows, ' ') FROM idp.protection WHERE table_name IN ('before', 'after')"),
		'hidden hidden', 'and the lock is whole');
	return;
}
answers_count(30, 100, 'none yet');
$s->value('CREATE POLICY more ON before USING (x <= 40); CREATE POLICY several ON after USING (x <= 40)');
answers_count(40, 100, 'permissive: it widens what others show, and there all rows are shown');
$s->value('CREATE POLICY every ON before USING (true); CREATE POLICY every ON after USING (true)');
answers_count(100, 100, 'one for all rows');
$s->value('CREATE POLICY strict ON before AS RESTRICTIVE USING (x <= 20); '
	  . 'CREATE POLICY strict ON after AS RESTRICTIVE USING (x <= 20)');
answers_count(20, 20, 'restrictive: it narrows');
$s->value('CREATE POLICY other ON after USING (x > (SELECT 5))');
answers_count(20, 20, 'a permissive one with a subquery');
is(of_session('keeper', "SELECT dp_count(1000.0, 'all') FROM after WHERE x > 0"), 100, 'the owner sees all rows');

# --- what earlier versions left -----------------------------------------------------------------------------

$node->safe_psql('postgres', 'CREATE DATABASE older TEMPLATE template0');
my $older = session($node, 'older');
$older->value("SET client_min_messages = error; CREATE EXTENSION idp VERSION '0.3.0'; CREATE TABLE t AS SELECT i AS x "
	  . "FROM generate_series(1, 50) i; CREATE TABLE narrow AS TABLE t; "
	  . 'ALTER TABLE narrow ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON narrow USING (x <= 30); '
	  . "SELECT idp.protect('t', 1000000), idp.protect('narrow', 1000000); GRANT SELECT ON t, narrow TO analyst");
$older->value($copy_policies);
my $all_rows = "SELECT pg_get_expr(polqual, polrelid) FROM pg_policy WHERE polname = 'idp_all_rows'";
is($older->value($all_rows), 'true', 'in 0.3.0 a policy is always true');
$older->quit;    # which has the library
$older = session($node, 'older');
$older->value('SET client_min_messages = error; ALTER EXTENSION idp UPDATE');
is($older->value($all_rows), 'idp.approved()', 'updated it asks the gate');
is($older->value("SELECT string_agg(polname, ' ' ORDER BY polname) FROM pg_policy WHERE polrelid = 'narrow'::regclass"),
	'few idp_hidden', 'where the owner has policies nothing changes');
is($older->value("SELECT string_agg(rows, ' ') FROM idp.protection"), 'hidden hidden', 'both are locked');
is(of_session('analyst', 'SELECT dp_count(1000.0) FROM t', 'older'), 50, 'an analyst is answered');
is(of_session('analyst', 'SELECT dp_count(1000.0) FROM narrow', 'older'), 30,
	'about the rows that the owner lets her see');
$older->value("CREATE TABLE copied AS TABLE t; GRANT SELECT ON copied TO analyst; SELECT copy_policies('t', 'copied')");
like(of_analyst('SELECT * FROM copied', 'older'), qr/are hidden from role/, 'and the gate holds either way');
# as a dump of 0.3.0 makes them
$older->value('CREATE TABLE restored AS TABLE t; GRANT SELECT ON restored TO analyst; ALTER TABLE restored ENABLE ROW '
	  . 'LEVEL SECURITY; CREATE POLICY idp_all_rows ON restored USING (true) WITH CHECK (true)');
is($older->value("$all_rows AND polrelid = 'restored'::regclass"), 'idp.approved()',
	'a policy that a dump of 0.3.0 makes asks the gate at once');
$older->value('CREATE POLICY idp_hidden ON restored AS RESTRICTIVE USING (idp.approved()) WITH CHECK (idp.loaded())');
like(of_analyst('SELECT * FROM restored', 'older'), qr/are hidden from role/, 'as in the table that it restores');
$older->quit;

# --- what Citus makes of policies -----------------------------------------------------------------------------

$s->value('CREATE TABLE copied (x int)');
foreach my $case ([ 'the gate comes last', 'few', 'idp_hidden' ], [ 'the gate comes first', 'idp_hidden', 'few' ])
{
	my ($name, @order) = @$case;
	my %policy = (few => 'CREATE POLICY few ON copied USING (x < 5)',
		idp_hidden => 'CREATE POLICY idp_hidden ON copied USING (idp.approved())');
	my $r = $s->run(join '; ', 'BEGIN', map { $policy{$_} } @order);
	is($r->{message}, 'policies of table "public.copied" would show rows that are hidden',
		"beside a policy of the owner's a gate that is not restrictive is refused: $name");
	like($r->{hint}, qr/before the table is distributed/, 'with a way out');
	$s->value('ROLLBACK');
}
$s->value('DROP TABLE copied');
# undistribute_table() makes a table anew, and gives it the name of the old one
$s->value("CREATE TABLE t AS SELECT i AS x FROM generate_series(1, 50) i; GRANT SELECT ON t TO analyst; "
	  . "SELECT idp.protect('t', 1000000)");
$s->value("BEGIN; CREATE TABLE t_1 AS TABLE t; GRANT SELECT ON t_1 TO analyst; SELECT copy_policies('t', 't_1'); "
	  . "DROP TABLE t; ALTER TABLE t_1 RENAME TO t; COMMIT");
is($s->value("SELECT idp.is_locked('t')"), 't',
	'a table whose policies were made anew, under its name: the lock is whole again');
is(of_session('analyst', 'SELECT dp_count(1000.0) FROM t'), 50, 'and it is asked as before');

$s->alive('at the end');
$s->quit;
$node->stop;
done_testing();
