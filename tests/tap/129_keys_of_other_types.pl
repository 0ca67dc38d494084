# Groups of columns of types that the shop of 104_plain_statements.pl lacks: measures as floats, enums, character(n),
# times of day, keys of public tables as varchar; ages; what is chosen of two dates; what conditions leave. Without a
# delta nothing but keys that everybody may know shows a group. Where groups are decided about a NOTICE says so,
# whatever they are made of.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PlainSql;
use Test::More;

my $node = new_node('keys_of_other_types', 'jit = off', "shared_preload_libraries = 'idp'",
	"timezone = 'Europe/Berlin'");
my $s = session($node);
$s->value('CREATE ROLE owner LOGIN; CREATE ROLE analyst LOGIN; GRANT CREATE ON SCHEMA public TO owner; SET ROLE owner');
$s->value($_) foreach "CREATE TYPE ward_kind AS ENUM ('surgery', 'inner', 'children')",
  'CREATE TABLE countries (code varchar(2) PRIMARY KEY, name text NOT NULL, currency char(3) NOT NULL)',
  	"INSERT INTO countries VALUES ('DE', 'Germany', 'EUR'), ('FR', 'France', 'EUR'), ('CH', 'Switzerland', "
  	. "'CHF')",
  'CREATE TABLE patients (id int PRIMARY KEY, born date NOT NULL, country varchar(2) NOT NULL REFERENCES countries, '
    . 'weight float8 NOT NULL, sex char(1) NOT NULL)',
  "INSERT INTO patients SELECT i, date '1940-01-01' + i * 37 % 25000, (ARRAY['DE', 'FR', 'CH'])[1 + i % 3], "
    . "40 + i % 600 / 10.0, (ARRAY['f', 'm'])[1 + i % 2] FROM generate_series(1, 1200) i",
  'CREATE TABLE visits (id int PRIMARY KEY, patient int NOT NULL REFERENCES patients, kind ward_kind NOT NULL, '
    . 'note text, day date NOT NULL, due date NOT NULL, paid date, at time NOT NULL, seen timestamptz NOT NULL, '
    . 'value float8 NOT NULL, pulse real, flag char(2))',
  "INSERT INTO visits SELECT row_number() OVER (), i,
     (ARRAY['surgery', 'inner', 'children']::ward_kind[])[1 + (i + n) % 3],
     (ARRAY['ok', 'urgent', NULL])[1 + (i / 3 + n) % 3], d, d + 14, CASE WHEN (i + n) % 4 > 0 THEN d + (i + n) % 40 END,
     time '08:00' + (i * 7 + n) % 600 * interval '1 minute', d + (i * 11 + n * 5) % 1440 * interval '1 minute',
     (i * 17 + n * 31) % 2000 / 10.0 - 100, CASE WHEN i % 5 > 0 THEN 50 + (i + n) % 60 END,
     (ARRAY['H', 'L', NULL])[1 + (i + n) % 3]
     FROM generate_series(1, 1200) i, generate_series(1, 4) n,
     LATERAL (SELECT date '2024-01-01' + (i * 13 + n * 151) % 700 AS d) x",
  "SELECT idp.protect('patients', 1e12, unit => 'id')",
  "SELECT idp.link('visits', 'patient', 'patients', max_rows => 4)",
  (map { "SELECT idp.set_domain('$_->[0]', '$_->[1]', $_->[2])" } [ 'patients', 'born', "'1940-01-01', '2008-12-31'" ],
  	[ 'patients', 'weight', '40, 100' ], [ 'patients', 'sex', "ARRAY['f', 'm']" ], [ 'patients', 'country',
  	"ARRAY['DE', 'FR', 'CH']" ],
	[ 'visits', 'kind', "ARRAY['surgery', 'inner', 'children']" ], [ 'visits', 'note', "ARRAY['ok', 'urgent']" ],
		[ 'visits', 'day', "'2024-01-01', '2025-12-31'" ], [ 'visits', 'due', "'2024-01-01', '2026-02-28'" ],
		[ 'visits', 'paid', "'2024-01-01', '2026-02-28'" ],
	[ 'visits', 'value', '-100, 100' ], [ 'visits', 'pulse', '40, 120' ],
	[ 'visits', 'seen', "'2024-01-01', '2026-01-01', grain => '1 hour', zone => 'Europe/Berlin'" ]),
  'GRANT SELECT ON patients, visits, countries TO analyst',
  # the same with a delta
  'CREATE TABLE people (LIKE patients INCLUDING ALL)', 'CREATE TABLE stays (LIKE visits INCLUDING ALL)',
  	'INSERT INTO people SELECT * FROM patients', 'INSERT INTO stays SELECT * FROM visits',
  	'ALTER TABLE stays ADD FOREIGN KEY (patient) REFERENCES people',
  "SELECT idp.protect('people', 1e12, unit => 'id', delta => 0.1)",
  "SELECT idp.link('stays', 'patient', 'people', max_rows => 4)",
  (map { "SELECT idp.set_domain('$_->[0]', '$_->[1]', $_->[2])" } [ 'people', 'born', "'1940-01-01', '2008-12-31'" ],
  	[ 'people', 'weight', '40, 100' ], [ 'stays', 'day', "'2024-01-01', '2025-12-31'" ], [ 'stays', 'seen',
  	"'2024-01-01', '2026-01-01', grain => '1 hour', zone => 'Europe/Berlin'" ]),
  'GRANT SELECT ON people, stays TO analyst';
my $a = session($node);
my $epsilon = 100000;
$a->value("SET ROLE analyst; SET idp.epsilon = $epsilon; SET idp.delta = 1e-9");
$_->{quiet} = 1 foreach $s, $a;

sub spent { return $s->value('SELECT sum(spent) FROM idp.budget') }

my $both = 'FROM visits v JOIN patients p ON p.id = v.patient';
# [ name, statement, epsilons that it costs ]
my @known = (
	# floats
	[ 'bins of a float', 'SELECT floor(value / 20) * 20, count(*) FROM visits GROUP BY 1' ],
	[ 'rounded floats, of which -0 is one', 'SELECT round(value / 10), count(*) FROM visits GROUP BY 1' ],
	[ 'ceilings', 'SELECT ceil(value / 50), count(*) FROM visits GROUP BY 1' ],
	[ 'cut floats of a subquery',
		'SELECT bin * 10, count(*) FROM (SELECT trunc(value / 25) AS bin FROM visits) x GROUP BY bin' ],
	[ 'bins of a real, and NULL', 'SELECT floor(pulse / 10) * 10, count(*) FROM visits GROUP BY 1' ],
	[ 'bins of a float of persons', 'SELECT floor(weight / 10), count(*), avg(weight) FROM patients GROUP BY 1' ],
	# ages
	[ 'years between two dates', "SELECT extract(year FROM age(v.day, p.born)), count(*) $both GROUP BY 1" ],
	[ 'tens of years', "SELECT date_part('year', age(v.day, p.born))::int / 10 * 10, count(*) $both GROUP BY 1" ],
	[ 'months beside years', "SELECT extract(month FROM age(v.day, p.born)), count(*) $both GROUP BY 1" ],
	# of one of several
	[ 'the month of the first date that is there',
		"SELECT date_trunc('month', coalesce(paid, due)), count(*) FROM visits GROUP BY 1" ],
	[ 'of a subquery',
		"SELECT m, count(*) FROM (SELECT date_trunc('month', coalesce(paid, due)) AS m FROM visits) x GROUP BY m" ],
	[ 'the year of the later one', "SELECT extract(year FROM greatest(paid, due)), count(*) FROM visits GROUP BY 1" ],
	[ 'one by a condition',
		"SELECT date_trunc('quarter', CASE WHEN value > 0 THEN paid ELSE due END), count(*) FROM visits GROUP BY 1" ],
	[ 'months since the first visit', 'WITH f AS (SELECT patient, min(day) AS d FROM visits GROUP BY 1) '
		  . 'SELECT (v.day - f.d) / 30, count(*) FROM visits v JOIN f ON f.patient = v.patient GROUP BY 1' ],
	# a date has no cells, as an instant with a grain has, in which clocks could be put back: the server crashed
	[ 'the quarter of the first visit, where clocks are put back',
		"SELECT v.day = f.d, date_trunc('quarter', f.d), count(*) FROM visits v JOIN "
		. "(SELECT patient, min(day) AS d FROM visits GROUP BY patient) f USING (patient) GROUP BY 1, 2" ],
	[ 'by a window', 'SELECT (day - d) / 30, count(*) FROM (SELECT day, min(day) OVER (PARTITION BY patient) AS d '
		  . 'FROM visits) x GROUP BY 1' ],
	[ 'the first year', 'SELECT y, count(*) FROM (SELECT patient, min(extract(year FROM day)) AS y FROM visits '
		  . 'GROUP BY 1) x GROUP BY y' ],
	# what conditions leave
	[ 'one value', "SELECT flag, note, count(*) FROM visits WHERE flag = 'H' GROUP BY 1, 2" ],
	[ 'some values', "SELECT flag, count(*) FROM visits WHERE flag IN ('H', 'L', 'too long') GROUP BY 1" ],
	[ 'of a subquery',
		"SELECT flag, count(*) FROM (SELECT flag, id FROM visits WHERE flag IN ('H', 'L')) x GROUP BY 1" ],
	[ 'between two numbers', 'SELECT (v.day - p.born) * 7 / 5000, count(*) FROM visits v '
		  . 'JOIN patients p ON p.id = v.patient WHERE (v.day - p.born) * 7 / 5000 BETWEEN 15 AND 20 GROUP BY 1' ],
	[ 'the first rows of each', 'SELECT n, count(*) FROM (SELECT row_number() OVER (PARTITION BY patient '
		  . 'ORDER BY day, id) AS n FROM visits) x WHERE n <= 2 GROUP BY n' ],
	[ 'all rows of each', 'SELECT n, count(*), sum(value) FROM (SELECT value, row_number() OVER (PARTITION BY patient '
		  . 'ORDER BY day, id) AS n FROM visits) x GROUP BY n' ],
	# times
	[ 'hours of a time of day', 'SELECT extract(hour FROM at), count(*) FROM visits GROUP BY 1' ],
	[ 'minutes', "SELECT date_part('minute', at), count(*) FROM visits GROUP BY 1" ],
	[ 'hours as texts', "SELECT to_char(seen, 'HH24'), count(*) FROM visits GROUP BY 1" ],
	[ 'hours as texts with minutes of none', "SELECT to_char(seen, 'HH24:00'), count(*) FROM visits GROUP BY 1" ],
	[ 'halves of the day', "SELECT to_char(seen, 'Day HH12 AM'), count(*) FROM visits GROUP BY 1" ],
	[ 'buckets of what a person has', 'SELECT width_bucket(s, -100, 100, 4), count(*) '
		  . 'FROM (SELECT patient, sum(value)::numeric AS s FROM visits GROUP BY 1) x GROUP BY 1' ],
	# enums and character(n)
	[ 'the most frequent of an enum',
		'SELECT mode() WITHIN GROUP (ORDER BY kind) FROM visits WHERE patient % 3 = 0 OR value > 0' ],
	[ 'of its labels',
		'SELECT mode() WITHIN GROUP (ORDER BY kind::text) FROM visits WHERE patient % 3 = 0 OR value > 0' ],
	[ 'ends of an enum', 'SELECT min(kind), max(kind), min(kind::text) FROM visits' ],
	[ 'values of an enum', 'SELECT count(DISTINCT kind), count(DISTINCT flag) FROM visits' ],
	[ 'character(n) with a domain', 'SELECT sex, count(*) FROM patients GROUP BY 1' ],
	[ 'ends of character(n)', 'SELECT min(sex), max(sex) FROM patients' ],
	[ 'character(n) of a public table',
		'SELECT c.currency, count(*) FROM patients p JOIN countries c ON c.code = p.country GROUP BY 1' ],
	# keys of type varchar
	[ 'persons of a join by varchar',
		'SELECT c.name, count(DISTINCT p.id) FROM patients p JOIN countries c ON c.code = p.country GROUP BY 1', 2 ],
	[ 'rows of a join by varchar', 'SELECT c.name, count(DISTINCT v.id) FROM countries c '
		  . 'JOIN patients p ON p.country = c.code JOIN visits v ON v.patient = p.id GROUP BY 1' ],
	[ 'conditions on the other side', "SELECT p.country, count(*) FROM patients p "
		  . "JOIN countries c ON c.code = p.country WHERE c.currency = 'CHF' GROUP BY 1" ],
	# persons in groups of texts
	[ 'persons by labels', 'SELECT kind::text, count(DISTINCT patient) FROM visits GROUP BY 1', 2 ],
	[ 'persons by texts of two columns',
		q{SELECT coalesce(note, '') || kind::text, count(DISTINCT patient) FROM visits GROUP BY 1}, 2 ],
	[ 'persons by what concat makes', q{SELECT concat(note, '-', p.sex), count(DISTINCT patient) FROM visits v }
		  . q{JOIN patients p ON p.id = v.patient GROUP BY 1}, 2 ]);
foreach my $case (@known)
{
	my ($name, $sql, $cost) = @$case;
	my $before = spent();
	my $got = $a->run($sql);
	my $charged = (spent() - $before) / $epsilon;
	$s->value('SET ROLE owner');
	my ($columns, $true) = ($s->value("$sql \\gdesc"), $s->value($sql));
	$s->value('RESET ROLE');
	is($got->{message} // difference_but_empty($true, $got->{out}, 0.01), '', "$name: as they are");
	is($a->value("$sql \\gdesc"), $columns, "$name: columns");
	unlike($got->{err} // '', qr/NOTICE/, "$name: no notice");
	is(sprintf('%.3f', $charged), sprintf('%.3f', $cost), "$name: what it costs") if defined $cost;
	cmp_ok($charged, '>', 0, "$name: charged");
}

# No -0 among the keys, whichever rows there are.
unlike($a->value('SELECT round(value / 10), count(*) FROM visits GROUP BY 1'), qr/^-0\b/m, 'no -0');

# Where groups are decided about a NOTICE says so.
my $stays = 'FROM stays v JOIN people p ON p.id = v.patient';
foreach my $case (
	[ 'two columns with domains', "SELECT to_char(age(v.day, p.born), 'YY'), count(*) $stays GROUP BY 1",
		'makes of "day", "born"' ],
	[ 'a column without', 'SELECT note, count(*) FROM stays GROUP BY 1', 'no domain lists the values of "note"' ],
	[ 'a measure with bounds', 'SELECT weight, count(*) FROM people GROUP BY 1',
		'the domain of "weight" has bounds and no list of values: group by bins' ],
	[ 'what is finer than the grain', "SELECT to_char(seen, 'HH24:MI'), count(*) FROM stays GROUP BY 1",
		'"seen" is seen by hours' ],
	[ 'a date of a column with a grain',
		"SELECT to_char(age(v.day, v.seen::date), 'YY'), count(*) FROM stays v GROUP BY 1", 'makes of "day", "seen"' ])
{
	my ($name, $sql, $words) = @$case;
	my $got = $a->run($sql);
	is($got->{message}, undef, "$name: answered");
	like($got->{err} // '', qr/NOTICE: +00000: groups of few rows are left out, as .*\Q$words\E/, "$name: a notice");
}

# How the owner says what character(n) has.
$s->value('SET ROLE owner; CREATE TABLE bare (a bpchar, b char(3))');
like($s->run("SELECT idp.set_domain('bare', 'a', ARRAY['x'])")->{message}, qr/cannot be listed/,
	'of no length equal values may look different');
is($s->run("SELECT idp.set_domain('bare', 'b', ARRAY['x', 'xyz'])")->{message}, undef, 'of one length they do not');
like($s->run("SELECT idp.set_domain('bare', 'b', ARRAY['x', 'x '])")->{message}, qr/twice/, 'blanks tell none apart');

done_testing();
