# What hidden rows had the server look up, compile or open stays in the session's memory. Two things tell what is there:
# messages for debugging (extension/pg/debug_messages.h), and what EXPLAIN counts (extension/access/explained_usage.h).
# A session that has read such rows gets neither, whatever was asked for before and is asked for afterwards.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('memory_of_sessions', 'fsync = off', "shared_preload_libraries = 'idp'");
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE analyst LOGIN;
GRANT CREATE ON SCHEMA public TO analyst;
CREATE TABLE hidden (id int, day date NOT NULL);
CREATE TABLE visible (id int, day date NOT NULL);
INSERT INTO hidden SELECT i, date '2025-01-01' + i FROM generate_series(1, 30) i;
INSERT INTO visible TABLE hidden;
SELECT idp.protect('hidden', 1e6, 'add_remove');
GRANT SELECT ON hidden, visible TO analyst;
SET ROLE analyst;
CREATE TABLE own (id int);
CREATE FUNCTION told() RETURNS bigint LANGUAGE sql SET client_min_messages = debug1 AS 'SELECT count(*) FROM pg_class';
SQL

# What fills caches, in a session's statements: each type is looked up when its values are sorted.
my $fill = "DO \$\$BEGIN RAISE WARNING 'from here'; END\$\$; "
  . join ' ', map { "SELECT x FROM (VALUES (NULL::$_), (NULL)) v (x) ORDER BY x;" }
    qw(int2 int8 int4 float8 float4 numeric name bytea bpchar bool inet macaddr bit varbit money uuid oid pg_lsn tid
	"char" tsvector jsonb interval);
my $draw = "SELECT dp_count(1e-9) FROM hidden WHERE id = 777 AND width_bucket(day, ARRAY['2025-01-01'::date]) > 0;";
my $read = "SELECT count(*) FROM visible WHERE id = 777 AND width_bucket(day, ARRAY['2025-01-01'::date]) > 0;";
my $debug = 'SET client_min_messages = debug1;';

# How many messages for debugging a new session of the analyst's gets for these, and its first error.
sub told
{
	my ($sql, %options) = @_;
	local $ENV{PGOPTIONS} = $options{startup} // '';
	my (undef, undef, $messages) = $node->psql('postgres', $sql, extra_params => [ '-U', 'analyst' ],
		on_error_stop => 0);
	my ($error) = $messages =~ /ERROR: +(.*)/;
	$messages =~ s/.*from here//s;
	return (scalar(() = $messages =~ /DEBUG:/g), $error // '');
}

my $refusal = 'messages for debugging are not sent in a session that has read hidden rows';
my %startup = (startup => '-c client_min_messages=debug1');
foreach (
	[ 'set before', "$debug % $fill" ],
	[ 'set before, and back', "$debug % RESET client_min_messages; $fill", %startup ],
	[ 'from the start', "% $fill", %startup ],
	[ 'from the start, and everything is set back', "% DISCARD ALL; $fill", %startup ],
	[ 'set before a transaction, which sets it otherwise and ends',
		"$debug BEGIN; SET LOCAL client_min_messages = notice; % ROLLBACK; $fill" ],
	[ 'set in a transaction that is rolled back',
		"BEGIN; $debug SAVEPOINT a; SET LOCAL client_min_messages = warning; % ROLLBACK TO a; $fill COMMIT;" ],
	[ 'set for a transaction beside its own',
		"BEGIN; SET client_min_messages = debug1; SET LOCAL client_min_messages = warning; % COMMIT; $fill" ],
	[ 'set while a cursor is read', "BEGIN; $debug DECLARE c CURSOR FOR % FETCH c; $fill COMMIT;" ],
	[ 'set afterwards', "% $debug $fill", refused => 1 ],
	[ 'of another level', "% SET client_min_messages = debug5; $fill", refused => 1 ],
	[ 'set by a function', "% SELECT set_config('client_min_messages', 'debug', false); $fill", refused => 1 ],
	[ 'set for a function', "% SELECT told(); $fill", refused => 1 ],
	[ 'set for a transaction', "% BEGIN; SET LOCAL client_min_messages = debug2; $fill COMMIT;", refused => 1 ])
{
	my ($name, $sql, %options) = @$_;
	my ($heard, $error) = told($sql =~ s/%/$draw/r, %options);
	is("$heard, $error", '0, ' . ($options{refused} ? $refusal : ''), "none: $name");
	($heard, $error) = told($sql =~ s/%/$read/r, %options);
	cmp_ok($heard, '>', 0, "a session that has read no hidden rows gets some: $name")
	  unless $name =~ /and back|set for a function|DISCARD/;
	is($error, '', "and no error: $name");
}
is((told("$draw SET client_min_messages = log; SET client_min_messages = notice; SET client_min_messages = error;"))[1],
	'', 'other levels can be set');


# A function that asks while rows of a table of her own are read, where levels are as they have to be for these.
$s->value("SET ROLE analyst; CREATE TABLE mine (id int NOT NULL); INSERT INTO mine VALUES (1), (2); "
	  . "SELECT idp.protect('mine', 1e6, 'add_remove', rows => 'visible')");
$s->value("CREATE FUNCTION asks(int) RETURNS boolean LANGUAGE plpgsql SET search_path = public "
	  . "AS 'BEGIN RETURN (SELECT dp_count(1e-9) FROM hidden WHERE id = 777) IS NOT NULL; END'");
$s->value("CREATE FUNCTION asks_within(int) RETURNS boolean "
	  . "LANGUAGE plpgsql IMMUTABLE SET search_path = public AS 'BEGIN RETURN asks(\$1); END'");
$s->value("CREATE FUNCTION opens(int) RETURNS boolean LANGUAGE plpgsql AS 'DECLARE c CURSOR FOR "
	. "SELECT dp_count(1e-9) FROM hidden; BEGIN IF NOT EXISTS (SELECT FROM pg_cursors "
	. "WHERE name = ''c'') THEN OPEN c; END IF; RETURN true; END'");
$s->value("CREATE FUNCTION opens_within(int) RETURNS boolean "
	  . "LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN opens(\$1); END'");
$s->value("CREATE FUNCTION closes(int) RETURNS boolean LANGUAGE plpgsql AS 'DECLARE r refcursor := ''c''; BEGIN IF "
	. "EXISTS (SELECT FROM pg_cursors WHERE name = r::text) THEN CLOSE r; END IF; RETURN true; END'");
$s->value("CREATE FUNCTION closes_within(int) RETURNS boolean "
	  . "LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN closes(\$1); END'; RESET ROLE");
is(join(', ', told("$debug SELECT dp_count(1) FROM mine WHERE asks_within(id); $fill")), '0, ',
	'none: asked while rows of another table are read');
my $limit = sub {
	my (undef, $printed) = $node->psql('postgres', $_[0], extra_params => [ '-U', 'analyst' ], on_error_stop => 0);
	return join ' ', $printed =~ /^(-1|\d+MB)$/mg
};
$s->value("ALTER DATABASE postgres SET temp_file_limit = '1MB'");
is($limit->('BEGIN; SELECT dp_count(1) > 1e9 FROM mine WHERE opens_within(id); SHOW temp_file_limit; COMMIT; SHOW '
	. 'temp_file_limit'), '-1 1MB', 'a cursor that was opened while rows of another table are read');
is($limit->('BEGIN; DECLARE c CURSOR FOR SELECT dp_count(1e-9) FROM hidden; SHOW temp_file_limit; '
	. 'SELECT dp_count(1) > 1e9 FROM mine WHERE closes_within(id); SHOW temp_file_limit; COMMIT; SHOW '
	. 'temp_file_limit'),
	'-1 1MB 1MB', 'a cursor that is closed while rows of another table are read');
$s->value('ALTER DATABASE postgres RESET temp_file_limit');

# What a new session of the analyst's is told of buffers and the like.
sub counted
{
	my ($sql) = @_;
	my (undef, $printed, $messages) = $node->psql('postgres', $sql, extra_params => [ '-U', 'analyst' ],
		on_error_stop => 0);
	my ($error) = $messages =~ /ERROR: +(.*)/;
	return (join(' ', "$printed $messages" =~ /Buffers:|WAL:|Hit Blocks|Memory Used|allocated/g), $error // '',
		$messages);
}

my $sorted = "SELECT x FROM (VALUES (NULL::text), ('a')) v (x) ORDER BY x";
my $while_counted = 'private answers cannot be asked for while EXPLAIN, or VACUUM (VERBOSE), counts buffers, '
  . 'WAL or memory of another statement';
$s->value("SET ROLE analyst; CREATE TABLE ruled (id int); CREATE RULE r AS ON INSERT TO ruled DO INSTEAD ($draw "
	  . "SELECT width_bucket('2025-01-01'::date, ARRAY['2025-01-01'::date]));");
$s->value("CREATE FUNCTION draws() RETURNS boolean "
	  . "LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT dp_count(1e-9) FROM hidden WHERE id = 777) IS NULL; END'");
$s->value("CREATE FUNCTION draws_early() RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN draws(); END'");
$s->value("CREATE FUNCTION explains() RETURNS boolean LANGUAGE plpgsql AS 'DECLARE line text; BEGIN EXECUTE "
	. "''EXPLAIN (ANALYZE, BUFFERS, TIMING off) SELECT dp_count(1e-9) "
	. "FROM hidden'' INTO line; RETURN true; END'");
foreach (
	[ 'of a later statement', "EXPLAIN (ANALYZE, BUFFERS, COSTS off, TIMING off) $sorted" ],
	[ 'of its planning', "EXPLAIN (BUFFERS) SELECT count(*) FROM pg_operator WHERE oprname = 'a'" ],
	[ 'in JSON', "EXPLAIN (ANALYZE, BUFFERS true, FORMAT json) $sorted" ],
	[ 'for WAL', "EXPLAIN (ANALYZE, WAL) INSERT INTO own VALUES (1)" ],
	[ 'of what was prepared', "PREPARE p AS $sorted; EXPLAIN (ANALYZE, BUFFERS 1) EXECUTE p" ],
	[ 'by a function', "DO \$\$DECLARE l text; "
		  . "BEGIN FOR l IN EXPLAIN (ANALYZE, BUFFERS on) $sorted LOOP RAISE NOTICE '%', l; END LOOP; END\$\$" ])
{
	my ($name, $sql) = @$_;
	my ($heard, $error, $messages) = counted("$draw $sql");
	is("$heard, $error", ', ', "EXPLAIN counts nothing: $name");
	like($messages, qr/NOTICE:  EXPLAIN counts no buffers, WAL or memory in a session that has read hidden rows/,
		"and says so: $name");
	($heard, $error) = counted("$read $sql");
	isnt($heard, '', "a session that has read no hidden rows is told: $name");
}
foreach (
	[ 'that is drawn', "EXPLAIN (ANALYZE, BUFFERS, COSTS off, TIMING off) $draw" ],
	[ 'that is prepared', "PREPARE p AS $draw EXPLAIN (ANALYZE, BUFFERS, WAL, COSTS off, TIMING off) EXECUTE p" ],
	[ 'that is put into a table',
		"EXPLAIN (ANALYZE, BUFFERS, COSTS off, TIMING off) CREATE TABLE made AS $draw DROP TABLE made" ],
	[ 'beside what is not', "EXPLAIN (ANALYZE, BUFFERS, COSTS off, TIMING off) "
		  . "SELECT x, (SELECT dp_count(1e-9) FROM hidden) FROM (VALUES (NULL::text), ('a')) v (x) ORDER BY x" ])
{
	my ($name, $sql) = @$_;
	my (undef, $printed, $messages) = $node->psql('postgres', $sql, extra_params => [ '-U', 'analyst' ],
		on_error_stop => 0);
	unlike($messages, qr/ERROR/, "answered: $name");
	unlike($printed =~ s/^Planning:\n  Buffers.*//mr, qr/Buffers/, "no buffers of a statement $name");
}
# The text of a statement may come to lie where that of another was.
$s->value("CREATE VIEW asked AS SELECT dp_count(1e-9) AS n FROM hidden WHERE id = 777; "
	  . "GRANT SELECT ON asked TO analyst");
$s->value("CREATE FUNCTION lies() RETURNS int LANGUAGE plpgsql AS 'DECLARE b float8; BEGIN EXECUTE ''DEALLOCATE "
	. "p''; FOR i IN 1 .. 25 LOOP BEGIN EXECUTE ''SELECT n FROM asked'' INTO b; RETURN i; EXCEPTION WHEN "
	. "OTHERS THEN NULL; END; END LOOP; BEGIN SELECT n INTO b "
	. "FROM asked; RETURN 0; EXCEPTION WHEN OTHERS THEN NULL; END; RETURN NULL; END'");
$s->value('CREATE VIEW lying AS SELECT coalesce(lies()::text, $$refused$$) AS n');
$s->value('GRANT SELECT ON lying TO analyst');
unlike((counted('PREPARE p AS SELECT n FROM lying; EXPLAIN (ANALYZE, BUFFERS, COSTS off, TIMING off, SUMMARY off) '
	  . 'EXECUTE p; EXPLAIN (ANALYZE, BUFFERS) ' . $sorted))[2],
	qr/NOTICE:  EXPLAIN counts no/, 'nothing was read in its place');
foreach (
	[ 'for each row', 'SELECT draws() FROM generate_series(1, 2)' ],
	[ 'while it is planned', 'SELECT draws_early()' ],
	[ 'in EXPLAIN of its own', 'SELECT explains()' ],
	[ 'of a rule', 'INSERT INTO ruled VALUES (1)' ])
{
	my ($name, $sql) = @$_;
	is((counted("EXPLAIN (ANALYZE, BUFFERS, TIMING off) $sql"))[1], $while_counted, "refused in a function: $name");
	is((counted("EXPLAIN (ANALYZE, BUFFERS off, TIMING off) $sql"))[1], '', "answered where nothing is counted: $name");
}

# VACUUM and ANALYZE say how many buffers they needed, each for all that it did.
$s->value("SET ROLE analyst; CREATE TABLE indexed (id int); INSERT INTO indexed VALUES (1); "
	  . "CREATE INDEX ON indexed (asks_within(id)); RESET ROLE");
my $usage = sub { ($_[0] =~ /buffer usage|NOTICE: .*/g)[0] // 'nothing' };
foreach my $command ('VACUUM VERBOSE own', 'VACUUM (ANALYZE, VERBOSE on) own', 'ANALYZE VERBOSE own',
	'ANALYZE (VERBOSE) own')
{
	my ($name) = $command =~ /^(\w+)/;
	is($usage->((counted("$draw $command"))[2]),
		"NOTICE:  $name (VERBOSE) says nothing in a session that has read hidden rows", "no usage: $command");
	is($usage->((counted("$read $command"))[2]), 'buffer usage',
		"a session that has read no hidden rows is told: $command")
	  if $s->value("SELECT current_setting('server_version_num')::int") >= ($name eq 'VACUUM' ? 150000 : 180000);
}
is((counted("$draw VACUUM (VERBOSE off) own; ANALYZE own"))[2], '', 'others say nothing');
is((counted('ANALYZE (VERBOSE) indexed'))[1], $while_counted, 'refused in a function of an index');
is((counted('ANALYZE (VERBOSE off) indexed'))[1], '', 'answered there where nothing is counted');

# A table that is written, but not read.
$s->value('RESET ROLE');
$s->value('GRANT INSERT ON hidden TO analyst');
is((counted('EXPLAIN (ANALYZE, WAL, BUFFERS) INSERT INTO hidden VALUES (1000, current_date)'))[1], $while_counted,
	'no WAL of an INSERT');
is((counted('EXPLAIN (ANALYZE, BUFFERS off) INSERT INTO hidden VALUES (1000, current_date)'))[1], '',
	'an INSERT is explained');

# Temporary files of a statement stay until it ends.
$s->value('RESET ROLE');
$s->value("ALTER DATABASE postgres SET temp_file_limit = '1MB'");
$s->value("INSERT INTO hidden SELECT i, '2025-01-01' FROM generate_series(2000, 120000) i");
my $large = 'SELECT idp_median(id, 0.1) FROM hidden';
my $sort = 'SELECT count(*) FROM (SELECT x FROM generate_series(1, %d) x ORDER BY x %% 7 OFFSET 0) y';
my $small = "SET work_mem = '64kB';";
like((counted("$small " . sprintf $sort, 200000))[1], qr/temp_file_limit/, 'a large sort is refused');
is((counted("$small BEGIN; DECLARE c CURSOR FOR $large; FETCH c; " . sprintf($sort, 20000) . '; COMMIT'))[1], '',
	'a sort beside an open cursor');
like((counted("$small BEGIN; DECLARE c CURSOR FOR $large; FETCH c; COMMIT; " . sprintf $sort, 200000))[1],
	qr/temp_file_limit/, 'the limit is back when the cursor is closed');
like((counted("$small BEGIN; DECLARE c CURSOR FOR $large; FETCH c; ROLLBACK; " . sprintf $sort, 200000))[1],
	qr/temp_file_limit/, 'and after a ROLLBACK');
like((counted("$small $large; " . sprintf $sort, 200000))[1], qr/temp_file_limit/, 'and after a statement');
# "x7" is no number: what is made of the answer fails, and the error is caught
my $caught = 'DO $$DECLARE n int; BEGIN SELECT (\'x\' || dp_count(0.1))::int INTO n FROM hidden; '
  . 'EXCEPTION WHEN OTHERS THEN NULL; END$$';
is($limit->("BEGIN; $caught; SHOW temp_file_limit; COMMIT"), '1MB', 'and after an error that is caught');

# After hidden rows each of two tablespaces may be the next. Forty of one are that in 2**-39.
mkdir $node->basedir . '/next';
$s->value("CREATE TABLESPACE next LOCATION '" . $node->basedir . "/next'");
$s->value('GRANT CREATE ON TABLESPACE next TO analyst');
$s->value("ALTER DATABASE postgres RESET temp_file_limit");
my $next = join '',
	map {
		"BEGIN; CREATE TEMP TABLE a (); "
		  . "$draw CREATE TEMP TABLE b (); SELECT 'spaces ' || count(DISTINCT reltablespace) FROM pg_class "
		  . "WHERE relname IN ('a', 'b') AND relnamespace = pg_my_temp_schema(); ROLLBACK; "
	} 1 .. 40;
my (undef, $printed) = $node->psql('postgres', "SET temp_tablespaces = 'pg_default', 'next'; $next",
	extra_params => [ '-U', 'analyst' ], on_error_stop => 0);
my %seen = map { $_ => 1 } $printed =~ /spaces (\d)/g;
is(join(' ', sort keys %seen), '1 2', 'the next temporary tablespace is drawn');

# Another extension may have nodes count, for its log, which the session can be sent. Whichever is loaded first: what is
# counted after hidden rows were read is not told, of a later statement and of one that calls a function which asks.
$node->stop;
foreach my $order ('auto_explain, idp', 'idp, auto_explain')
{
	$node->append_conf('postgresql.conf', "shared_preload_libraries = '$order'\nauto_explain.log_min_duration = 0\n"
		  . "auto_explain.log_analyze = on\nauto_explain.log_buffers = on\nauto_explain.log_timing = off");
	$node->start;
	my $later = "SELECT width_bucket(day, ARRAY['2025-01-01'::date]) FROM visible WHERE id = 1";
	my $log = 'SET client_min_messages = log';
	my $function = "SELECT %s(1), width_bucket(day, ARRAY['2025-01-01'::date]) FROM visible WHERE id = 1";
	# the outermost statement is told last
	my $told = sub {
		my $messages = (counted($_[0]))[2];
		my @plans = split /LOG: +duration/, $messages;
		return $plans[-1] =~ /Buffers/ ? 'counted' : $messages =~ /ERROR/ ? $messages : 'not counted'
	};
	is($told->("$draw $log; $later"), 'not counted', "$order: a later statement");
	is($told->("$read $log; $later"), 'counted', "$order: one of a session that has read no hidden rows");
	is($told->("$log; " . sprintf $function, 'asks'), 'not counted', "$order: a statement whose function asks");
	is($told->("$log; " . sprintf $function, 'abs'), 'counted', "$order: one whose function does not");
	$node->stop;
}

done_testing();
