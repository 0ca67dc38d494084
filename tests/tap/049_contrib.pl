# The extensions that come with the server (contrib), in the hands of a role that may read a hidden table. Two databases
# differ in one row of it, which is locked in one: every function that everybody may call is called in both.
# What runs queries is refused by the executor's hook, in sessions that begin without the library.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('contrib', 'bare', "shared_preload_libraries = 'pg_stat_statements, idp'");
my $admin = session($node);

# All that lies in the server's folder of extensions, but those of others.
my @contrib = split ' ', $admin->value(<<'SQL');
SELECT string_agg(name, ' ' ORDER BY name) FROM pg_available_extensions
WHERE name IN ('adminpack', 'amcheck', 'autoinc', 'bloom', 'btree_gin', 'btree_gist', 'citext', 'cube', 'dblink',
  'dict_int', 'dict_xsyn',
  'earthdistance', 'file_fdw', 'fuzzystrmatch', 'hstore', 'insert_username', 'intagg', 'intarray', 'isn', 'lo',
  'ltree', 'moddatetime',
  'old_snapshot', 'pageinspect', 'pg_buffercache', 'pg_freespacemap', 'pg_logicalinspect', 'pg_prewarm',
  'pg_stat_statements',
  'pg_surgery', 'pg_trgm', 'pg_visibility', 'pg_walinspect', 'pgcrypto', 'pgrowlocks', 'pgstattuple',
  'postgres_fdw', 'refint', 'seg',
  'sslinfo', 'tablefunc', 'tcn', 'tsm_system_rows', 'tsm_system_time', 'unaccent', 'uuid-ossp', 'xml2')
SQL
is(scalar @contrib, 46, 'all of contrib is here') if $major == 15;

$admin->value('CREATE ROLE keeper LOGIN; CREATE ROLE analyst LOGIN; CREATE DATABASE one TEMPLATE template0');
my %world = (one => session($node, 'one'));
my $one = $world{one};
$one->value('CREATE EXTENSION idp');
foreach my $name (@contrib)
{
	is($one->run("SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS \"$name\" CASCADE")->{message},
		undef, "CREATE EXTENSION $name");
}
$one->value(<<'SQL');
GRANT CREATE ON SCHEMA public TO keeper, analyst;
GRANT EXECUTE ON FUNCTION dblink_connect_u(text, text) TO analyst;
SET ROLE keeper;
CREATE TABLE staff (id int PRIMARY KEY, boss int, name text, doc text);
CREATE TABLE visits (id int PRIMARY KEY, staff int REFERENCES staff);
CREATE TABLE calls (id int, function text, call text);
GRANT SELECT, UPDATE, DELETE ON staff TO analyst;
GRANT SELECT ON calls TO analyst;
-- What a call gives, or how it fails.
CREATE FUNCTION attempt(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text;
BEGIN
  EXECUTE format('SELECT string_agg(r::text, chr(10)) FROM (SELECT %s LIMIT 100) r', call) INTO result;
  RETURN coalesce(result, 'null');
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;
SQL
$one->quit;
$admin->value('CREATE DATABASE other TEMPLATE one');
my %locker;
foreach my $name ('one', 'other')
{
	my $s = $world{$name} = session($node, $name);
	my $locker = $locker{$name} = session($node, $name);
	$s->value(<<'SQL');
SET ROLE keeper;
INSERT INTO staff SELECT i, i / 2, CASE WHEN i = 5 AND current_database() = 'other' THEN 'zaphod' ELSE 'name ' || i END,
  '<a>' || i || '</a>' FROM generate_series(1, 9) i;
SET client_min_messages = error;
SELECT idp.protect('staff', 100);
SELECT id FROM staff WHERE name = 'zaphod';
SELECT dp_count(1) IS NULL FROM staff;
RESET ROLE;
RESET client_min_messages;
SQL
	$locker->value("BEGIN; INSERT INTO visits SELECT 1, id FROM staff WHERE name = 'zaphod'");
}

# --- what runs queries -------------------------------------------------------------------------------

# The outcome of statements in a connection of the analyst's own.
sub asks
{
	my ($sql, $database) = @_;
	my ($ret, $out, $err) = $node->psql($database // 'one', $sql, on_error_stop => 0,
		extra_params => [ '-U', 'analyst', '-v', 'VERBOSITY=verbose' ]);
	return IdpTest::Session::outcome($out, $err);
}

my $self = "'host=" . $node->host . ' port=' . $node->port . " dbname=one user=analyst'";
my %runs = (
	'crosstab(text)' => ["SELECT * FROM crosstab('SELECT id, boss, name FROM staff') AS t (a int, b text)"],
	'crosstab(text,integer)' => ["SELECT * FROM crosstab('SELECT id, boss, name FROM staff', 1) AS t (a int, b text)"],
	'crosstab(text,text)' => [
		"SELECT * FROM crosstab('SELECT id, boss, name FROM staff', 'SELECT 1') AS t (a int, b text)",
		"SELECT * FROM crosstab('SELECT 1, 2, 3', 'SELECT DISTINCT boss FROM staff') AS t (a int, b text)"
	],
	(map { ("crosstab$_(text)" => ["SELECT * FROM crosstab$_('SELECT name, name, name FROM staff')"]) } 2 .. 4),
	'connectby(text,text,text,text,integer)' => [
		"SELECT * FROM connectby('staff', 'id', 'boss', '1', 0) AS t (a int, b int, l int)"],
	'connectby(text,text,text,text,integer,text)' => [
		"SELECT * FROM connectby('staff', 'id', 'boss', '1', 0, '/') AS t (a int, b int, l int, p text)"],
	'connectby(text,text,text,text,text,integer)' => [
		"SELECT * FROM connectby('staff', 'id', 'boss', 'name', '1', 0) AS t (a int, b int, l int, s int)"],
	'connectby(text,text,text,text,text,integer,text)' => [
		"SELECT * FROM connectby('staff', 'id', 'boss', 'name', '1', 0, '/') "
		  . "AS t (a int, b int, l int, p text, s int)"],
	'xpath_table(text,text,text,text,text)' => [
		"SELECT * FROM xpath_table('id', 'doc', 'staff', '/a', 'true') AS t (id int, a text)",
		"SELECT * FROM xpath_table('1', 'xmlelement(name a)', '(SELECT 1) s', '/a', 'EXISTS (SELECT FROM staff)') "
		  . "AS t (id int, a text)"
	],
	'dblink_build_sql_insert(text,int2vector,integer,text[],text[])' => [
		"SELECT dblink_build_sql_insert('staff', '1', 1, '{5}', '{6}')"],
	'dblink_build_sql_update(text,int2vector,integer,text[],text[])' => [
		"SELECT dblink_build_sql_update('staff', '1', 1, '{5}', '{6}')"],
	'dblink(text,text)' => [
		"SELECT dblink_connect_u('c', $self); SELECT * FROM dblink('c', 'SELECT name FROM staff') AS t (n text)"],
	'dblink(text,text,boolean)' => [
		"SELECT dblink_connect_u('c', $self); SELECT * FROM dblink('c', 'SELECT name FROM staff', true) AS t (n text)"],
	'dblink_exec(text,text)' => ["SELECT dblink_connect_u('c', $self); "
		  . "SELECT dblink_exec('c', 'CREATE TABLE stolen AS SELECT name FROM staff')"],
	'dblink_open(text,text,text)' => [
		"SELECT dblink_connect_u('c', $self); SELECT dblink_open('c', 'x', 'SELECT name FROM staff')"],
	'dblink_get_result(text)' => ["SELECT dblink_connect_u('c', $self); SELECT dblink_send_query('c', "
		  . "'SELECT name FROM staff'); SELECT * FROM dblink_get_result('c') AS t (n text)"],
	'system_rows(internal)' => [ 'SELECT name FROM staff TABLESAMPLE system_rows(1)',
		'SELECT count(*) FROM staff TABLESAMPLE system_rows(9)' ],
	'system_time(internal)' => ['SELECT name FROM staff TABLESAMPLE system_time(100)'],
	'hstore(record)' => [ 'SELECT hstore(s) FROM staff s',
		'SELECT populate_record(NULL::staff, hstore(s)) FROM staff s' ],
	'check_primary_key()' => [ "CREATE TABLE bad (k int); CREATE TRIGGER t AFTER INSERT ON bad FOR EACH ROW "
		  . "EXECUTE FUNCTION check_primary_key('k', 'staff', 'id'); INSERT INTO bad VALUES (5)",
		"INSERT INTO bad VALUES (500)" ],
	'check_foreign_key()' => [ map {
		"CREATE TABLE \"$_\" (k int); INSERT INTO \"$_\" VALUES (5); CREATE TRIGGER t AFTER DELETE ON \"$_\" FOR EACH "
		  . "ROW EXECUTE FUNCTION check_foreign_key(1, '$_', 'k', 'staff', 'id'); DELETE FROM \"$_\""
	}
		  'restrict', 'cascade', 'setnull' ],
	# the server's own
	'xml' => [ (map { "SELECT query_to_$_('SELECT name FROM staff', true, true, '')" } 'xml', 'xml_and_xmlschema'),
		(map { "SELECT table_to_$_('staff', true, true, '')" } 'xml', 'xml_and_xmlschema'),
		(map { "SELECT schema_to_$_('public', true, true, '')" } 'xml', 'xml_and_xmlschema'),
		(map { "SELECT database_to_$_(true, true, '')" } 'xml', 'xml_and_xmlschema') ],
	'cursor' => [ "BEGIN; DECLARE c CURSOR FOR SELECT name FROM staff; SELECT cursor_to_xml('c', 1, true, true, '')",
		"DO 'DECLARE c refcursor; BEGIN OPEN c FOR EXECUTE ''SELECT name "
		  . "FROM staff''; PERFORM cursor_to_xml(c, 1, true, true, ''''); END'" ],
	'text search' => [ "SELECT * FROM ts_stat('SELECT to_tsvector(name) FROM staff')",
		"SELECT * FROM ts_stat('SELECT to_tsvector(name) FROM staff', 'a')",
		"SELECT ts_rewrite('a'::tsquery, 'SELECT to_tsquery(name), to_tsquery(name) FROM staff')" ],);
my $refused = sub {
	my ($r) = @_;
	my ($message) = $r->{err} =~ /ERROR:  42501: (.*)/;
	return 'refused'
	  if $r->{err} =~ /ERROR:  0A000: dp_count of protected table "staff" cannot be computed over TABLESAMPLE/;
	return ($message // "none: $r->{out}$r->{err}") =~ /hidden from role "analyst"/ ? 'refused'
	  : $message // "none: $r->{out}$r->{err}";
};
my %has = map { $_ => 1 }
  split /\n/, $world{one}->value("SELECT p.oid::regprocedure FROM pg_proc p WHERE p.oid >= 16384");
foreach my $function (sort keys %runs)
{
	next if $function =~ /\(/ && !$has{$function};    # of an extension that this server does not have
	is($refused->(asks($_)), 'refused', "a query of hidden rows: $_") foreach @{ $runs{$function} };
}
is($world{one}->value("SELECT count(*) FROM pg_class WHERE relname = 'stolen'"), 0, 'nothing was stolen');

# --- all others ---------------------------------------------------------------------------------------

# Arguments of the type: names of the table, queries of it, values that one of its rows may have.
my %values = (
	text => [ "'staff'", "'id'", "'SELECT name, name, name FROM staff'", "'zaphod'" ], name => [ "'staff'", "'name'" ],
	'character varying' => [ "'staff'", "'zaphod'" ], regclass => [ "'staff'", "'staff_pkey'" ],
	oid => ["'staff'::regclass"], citext => ["'staff'"], integer => [ '0', '5' ], bigint => [ '0', '1' ],
	smallint => ['1'], boolean => ['true'], bytea => [ "'\\x00'" ], 'double precision' => ['1'], real => ['1'],
	numeric => ['1'], 'text[]' => ["'{5}'"], 'integer[]' => ["'{5}'"], int2vector => ["'1'"], tid => ["'(0,5)'"],
	'tid[]' => [q('{"(0,5)"}')], pg_lsn => ["'0/1'"], regdictionary => ["'simple'"], anyelement => ['NULL::staff'],
	hstore => ["'name=>zaphod'"], record => ['ROW(1)'],);
my $functions = <<'SQL';
FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
  AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
  JOIN pg_extension e ON e.oid = d.refobjid
WHERE e.extname NOT IN ('idp', 'plpgsql') AND has_function_privilege('public', p.oid, 'EXECUTE')
  AND p.prokind IN ('f', 'p')
  AND NOT ARRAY['internal', 'cstring']::regtype[]::oid[] && (p.proargtypes::oid[] || p.prorettype)
  AND p.prorettype <> ALL (ARRAY['trigger', 'event_trigger', 'language_handler', 'index_am_handler', 'table_am_handler',
    'tsm_handler', 'fdw_handler']::regtype[])
  AND (p.provolatile <> 'i' OR p.proargtypes::oid[] && ARRAY['text', 'name', 'varchar', 'regclass', 'oid', 'anyelement',
    'record']::regtype[]::oid[])
SQL

# The calls with every choice of arguments, at most 40 of a function.
sub calls_of
{
	my ($function, @types) = @_;
	my @lists = ('');
	foreach my $type (@types)
	{
		my @choices = @{ $values{$type} // ["NULL::$type"] };
		@lists = map { my $list = $_; map { $list eq '' ? $_ : "$list, $_" } @choices } @lists;
		splice @lists, 40;
	}
	return map { "$function($_)" } @lists;
}

# [ what, outcome of each call ], for functions and views that everybody may use.
sub sweep
{
	my ($database) = @_;
	my $out = $world{$database . '_analyst'}->value('SELECT id || chr(9) || function || chr(9) || md5(attempt(call)) '
		  . '|| chr(9) || left(translate(attempt(call), chr(10), chr(32)), 200) FROM calls ORDER BY id');
	return map { [ split /\t/ ] } split /\n/, $out;
}

sub tell_apart
{
	my $list = $world{one}->value("SELECT string_agg(p.oid::regprocedure || chr(9) || p.pronamespace::regnamespace "
		  . "|| '.' || quote_ident(p.proname) || chr(9) || "
		  . "array_to_string(ARRAY(SELECT format_type(t, NULL) FROM unnest(p.proargtypes::oid[]) "
		  . "WITH ORDINALITY u (t, n) ORDER BY n), ';'), chr(10) ORDER BY p.oid) $functions");
	my (%tells, @rows, $id);
	foreach (split /\n/, $list)
	{
		my ($function, $name, $types) = split /\t/;
		push @rows, map { [ ++$id, $function, $_ ] } calls_of($name, split /;/, $types // '');
	}
	my $views = $world{one}->value("SELECT string_agg(c.oid::regclass::text, ' ') FROM pg_class c "
		  . "JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid "
		  . "AND d.refclassid = 'pg_extension'::regclass JOIN pg_extension e ON e.oid = d.refobjid "
		  . "WHERE e.extname <> 'idp' AND c.relkind IN ('r', 'v') AND has_table_privilege('public', c.oid, 'SELECT')");
	push @rows, map { [ ++$id, $_, "$_ FROM $_" ] } split ' ', $views;
	my $insert = 'TRUNCATE calls; INSERT INTO calls VALUES '
	  . join ', ', map { "($_->[0], \$\$$_->[1]\$\$, \$\$$_->[2]\$\$)" } @rows;
	$world{$_}->value($insert) foreach 'one', 'other';
	my ($first, $other, $again) = map { [ sweep($_) ] } 'one', 'other', 'one';
	is(scalar @$_, scalar @rows, 'every call has an outcome') foreach $first, $other, $again;
	foreach my $i (0 .. $#rows)
	{
		my $is_steady = $first->[$i][2] eq $again->[$i][2];
		next if $is_steady && $first->[$i][2] eq $other->[$i][2];
		note "$rows[$i][2]: $first->[$i][3] and $other->[$i][3], again $again->[$i][3]";
		$tells{ $rows[$i][1] } = $is_steady ? 'tells' : 'differs each time';
	}
	return (\%tells, scalar @rows);
}

$world{$_ . '_analyst'} = session($node, $_) foreach 'one', 'other';
$world{$_ . '_analyst'}->value('SET SESSION AUTHORIZATION analyst') foreach 'one', 'other';
# What a random generator says, and which connections there are by now.
my $random =
  qr/^(gen_random_|gen_salt|pgp_(sym|pub)_encrypt|uuid_generate_|(public\.)?normal_rand|autoprewarm_|public\.gen_random_uuid)/;
my ($tells, $calls) = tell_apart();
note "$calls calls";
cmp_ok($calls, '>', 500, 'calls') if $major == 15;
is($tells->{'pgrowlocks(text)'}, 'tells', 'pgrowlocks tells the two apart') if $has{'pgrowlocks(text)'};
my $rows_of_keeper = "SELECT sum(rows) FROM pg_stat_statements "
  . "WHERE userid = 'keeper'::regrole AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())";
isnt($world{one_analyst}->value($rows_of_keeper), $world{other_analyst}->value($rows_of_keeper),
	'and so does pg_stat_statements');
is(join(', ', grep { $_ !~ $random && $_ !~ /^(pgrowlocks|pg_stat_statements)/ } sort keys %$tells), '',
	'nothing else does');

# What private answers read is not counted, whether a condition finds few rows by an index or many.
$world{one}->value(<<'SQL');
SET client_min_messages = error;
CREATE TABLE many (id int PRIMARY KEY, name text);
INSERT INTO many SELECT i, 'name ' || i FROM generate_series(1, 20000) i;
GRANT SELECT ON many TO analyst;
SELECT idp.protect('many', 100);
SQL
my @counts = map {
	my $found = $_;
	asks("SET enable_seqscan = off; SELECT dp_count(1) FROM many WHERE id < $found AND $found > 0");
	my $read = $world{one_analyst}->value("SELECT string_agg(concat_ws(' ', calls, rows, shared_blks_hit, "
		  . "shared_blks_read, shared_blks_dirtied, temp_blks_written, wal_records), ',') "
		  . "FROM pg_stat_statements WHERE userid = 'analyst'::regrole AND query LIKE 'SELECT dp_count%many%'");
	$world{one}->value('SELECT pg_stat_statements_reset()');
	$read
} 5, 20000;
is($counts[0], '1 1 0 0 0 0 0', 'pg_stat_statements tells nothing of what a private answer read');
is($counts[1], $counts[0], 'nor of how much');

# --- closed -------------------------------------------------------------------------------------------

my %closed;
foreach my $name ('one', 'other')
{
	$closed{$name} = $world{$name}->value('SELECT idp.close_side_channels()');
}
is($closed{other}, $closed{one}, 'revoked in both');
my @open = grep { $has{$_} && $closed{one} !~ /^\Q$_\E$/m } 'pgrowlocks(text)', 'pg_stat_statements(boolean)',
  'pg_stat_statements_info()', 'pg_prewarm(regclass,text,text,bigint,bigint)',
  'get_raw_page(text,bigint)', 'heap_page_items(bytea)', 'pg_old_snapshot_time_mapping()';
is(join(', ', @open), '', 'with functions of extensions that tell of rows, or that may');
unlike($closed{one}, qr/^(crosstab|uuid_generate|gen_salt|dblink|blhandler|idp\.)/m, 'not with others');
($tells) = tell_apart();
is(join(', ', grep { $_ !~ $random } sort keys %$tells), '', 'nothing tells the two apart now');
like($world{one_analyst}->run($_)->{sqlstate} // 'answered', qr/^42501$/, "refused: $_")
  foreach "SELECT * FROM pgrowlocks('staff')", $rows_of_keeper, 'SELECT * FROM pg_stat_statements_info',
  "SELECT pg_prewarm('staff')";
is($world{one}->value("SELECT count(*) FROM pgrowlocks('staff')"), 0, 'superusers may');
is($world{other}->value("SELECT count(*) FROM pgrowlocks('staff')"), 1, 'still');

# what comes later
is($world{one}->value('SELECT idp.close_side_channels()'), '', 'once');
$world{one}->value('DROP EXTENSION pgrowlocks; CREATE EXTENSION pgrowlocks');
is($world{one_analyst}->run("SELECT * FROM pgrowlocks('staff')")->{message}, undef,
	'an extension that is created later is open');
is($world{one}->value('SELECT idp.close_side_channels()'), 'pgrowlocks(text)', 'until the second call');
$world{one}->value('GRANT EXECUTE ON FUNCTION pgrowlocks(text) TO PUBLIC');
is($world{one}->value("SELECT idp.close_side_channels(keep => '{pgrowlocks}')"), '', 'an extension that is kept');
is($world{one}->run("SELECT idp.close_side_channels(keep => '{pgrowlocks,nowhere}')")->{message},
	'extension "nowhere" does not exist', 'there is none of that name');

# An extension that nobody here has tried: what is not immutable and not SQL, and what has another's rights.
$world{one}->value("SET allow_system_table_mods = on; UPDATE pg_extension SET extname = 'unheard_of' "
	  . "WHERE extname = 'tablefunc'; "
	  . 'ALTER FUNCTION crosstab4(text) IMMUTABLE; CREATE FUNCTION mighty() RETURNS int '
	  . 'LANGUAGE sql SECURITY DEFINER IMMUTABLE RETURN 1; '
	  . "CREATE FUNCTION plain() RETURNS int LANGUAGE sql RETURN 1; ALTER EXTENSION unheard_of ADD FUNCTION mighty(); "
	  . "ALTER EXTENSION unheard_of ADD FUNCTION plain()");
is($world{one}->value("SELECT DISTINCT proname FROM (SELECT idp.close_side_channels(keep => '{pgrowlocks}') AS oid) c "
	  . "JOIN pg_proc p USING (oid) ORDER BY 1"),
	"connectby\ncrosstab\ncrosstab2\ncrosstab3\nmighty\nnormal_rand", 'an extension that is not known is closed');

$node->stop;
done_testing();
