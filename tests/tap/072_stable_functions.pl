# What conditions and arguments may call: functions of the server that read tables, count rows or keep
# state are refused, by a list of those that do not.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('steady');
my $s = session($node);
$s->value(<<'SQL');
CREATE TABLE t (id int, x int, at timestamptz, day date, mood text, note text);
INSERT INTO t SELECT i, i, '2020-01-01 UTC'::timestamptz + i * interval '1 day', '2020-01-01'::date + i,
  'good', 'row ' || i FROM generate_series(1, 100) i;
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE DOMAIN plain AS int;
CREATE DOMAIN tells AS int CHECK (set_config('x.seen', VALUE::text, false) IS NOT NULL);
ANALYZE t;
SELECT idp.protect('t', 1e9);
SQL

my $before = entries($s, 't');
my @unsteady = (
	"table_to_xml('t', false, false, '')::text LIKE '%7%'",
	"schema_to_xml('public', false, false, '')::text LIKE '%7%'",
	"database_to_xml(false, false, '')::text LIKE '%7%'",
	"pg_stat_get_live_tuples('t'::regclass) > x",
	"pg_relation_filenode('t') > x",
	"txid_current() > x",
	"pg_backend_pid() > x",
	"idp.hides_rows('t') OR x > 0",
	"x::tells > 0",
	"note::tells > 0",
	"('{' || x || '}')::tells[] IS NOT NULL",
	"(jsonb_populate_record(NULL::t, to_jsonb(x))).x > 0",
	$s->run('SELECT xmlelement(name a)')->{sqlstate} ? () : "xmlelement(name a, mood::mood) IS NOT NULL",
	$IdpTest::major >= 16 ? "JSON_ARRAY(mood::mood) IS NOT NULL" : (),
	$IdpTest::major >= 17 ? "JSON_VALUE(note::jsonb, '\$' RETURNING tells) > 0" : (),
	$IdpTest::major >= 17 ? "JSON_QUERY(note::jsonb, '\$' RETURNING tells[]) IS NOT NULL" : (),
);
foreach my $condition (@unsteady)
{
	foreach my $sql ("SELECT dp_count(1) FROM t WHERE $condition",
		"SELECT dp_count(1) FILTER (WHERE $condition) FROM t")
	{
		my $r = $s->run($sql);
		is($r->{sqlstate}, '0A000', "refused: $sql") or diag $r->{out}, $r->{err};
		like($r->{message} // '', qr/depends on more than its arguments/, 'saying why');
	}
}
foreach my $argument (
	"CASE WHEN table_to_xml('t', false, false, '')::text LIKE '%7%' THEN 1.0 ELSE -2 END",
	"pg_stat_get_live_tuples('t'::regclass)", '5::tells')
{
	my $r = $s->run("SELECT dp_count($argument) FROM t");
	is($r->{sqlstate}, '42P10', "no epsilon: $argument") or diag $r->{out}, $r->{err};
	$r = $s->run("SELECT dp_sum(x, 1, 0, $argument) FROM t");
	is($r->{sqlstate}, '42P10', "no bound: $argument") or diag $r->{out}, $r->{err};
	$r = $s->run("SELECT dp_count(1, 'name ' || ($argument)) FROM t");
	is($r->{sqlstate}, '0A000', "no name: $argument") or diag $r->{out}, $r->{err};
}
is(entries($s, 't'), $before, 'what is refused costs nothing');
is($s->value("SELECT current_setting('x.seen', true)"), '', 'and calls nothing');

foreach my $condition (
	'at > now() - interval \'100 years\'', "date_trunc('month', at) > '2000-01-01'", 'extract(year FROM at) > 2000',
	'at::date > day - 7', "to_char(at, 'YYYY') > '2000'", "age(at) > '1 day'", 'day::text > \'2\'',
	"concat(note, x) <> ''", "note || x <> ''", "format('%s', x) <> ''", "mood::mood = 'good'", 'x::plain > 0',
	"current_setting('TimeZone') <> ''", "at AT TIME ZONE 'UTC' > '2000-01-01'", 'current_user IS NOT NULL',
	"to_tsvector(note) @@ to_tsquery('row')", "make_timestamptz(2020, 1, 1, 0, 0, x / 2.0) < '2021-01-01'",
	"day + interval '1 day' < now()")
{
	is($s->value("SELECT dp_count(1000) FROM t WHERE $condition"), 100, "answered: $condition");
}
$s->quit;
$node->stop;
done_testing();
