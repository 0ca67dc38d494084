# Parts of time that everybody may know the keys of, as tools write them: weeks that begin on any day, years that begin
# in any month, days of the zone of the cells or of any other where these are hours. Whether a group is known is asked
# without a delta: nothing else could show one. What is finer than the cells is decided about with one, and a NOTICE
# says so.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use PlainSql;
use Test::More;

my $node = new_node('calendar_keys', 'jit = off', "shared_preload_libraries = 'idp'", "timezone = 'Europe/Berlin'");
my $s = session($node);
$s->value('CREATE ROLE owner LOGIN; CREATE ROLE analyst LOGIN; GRANT CREATE ON SCHEMA public TO owner; SET ROLE owner');
$s->value($_) foreach 'CREATE TABLE visits (id int PRIMARY KEY, at timestamptz NOT NULL, hour_at timestamptz NOT NULL, '
  . 'local timestamp NOT NULL)',
  # at every twenty minutes where clocks are moved, else every seven hours
  "INSERT INTO visits SELECT row_number() OVER (), t, t, t AT TIME ZONE 'UTC'
    FROM (SELECT generate_series(timestamptz '2025-01-01 00:00+01', '2025-12-31 23:00+01', '7 hours')
     UNION ALL SELECT generate_series(timestamptz '2025-03-29 12:00+00', '2025-03-31 12:00+00', '20 minutes')
     UNION ALL SELECT generate_series(timestamptz '2025-10-25 12:00+00', '2025-10-27 12:00+00', '20 minutes')) v(t)",
  "SELECT idp.protect('visits', 1e9, repeat => 'forever')",
  "SELECT idp.set_domain('visits', 'at', '2025-01-01', '2026-01-01', grain => '1 day', zone => 'Europe/Berlin')",
  "SELECT idp.set_domain('visits', 'hour_at', '2024-12-31', '2026-01-01', grain => '1 hour', zone => 'UTC')",
  "SELECT idp.set_domain('visits', 'local', '2024-12-31', '2026-01-01', grain => '1 day')",
  'CREATE TABLE calls (LIKE visits)', 'INSERT INTO calls SELECT * FROM visits',
  "SELECT idp.protect('calls', 1e9, delta => 0.1)",
  "SELECT idp.set_domain('calls', 'at', '2025-01-01', '2026-01-01', grain => '1 day', zone => 'Europe/Berlin')",
  "SELECT idp.set_domain('calls', 'local', '2024-12-31', '2026-01-01', grain => '1 day')",
  'GRANT SELECT ON visits, calls TO analyst';
my $a = session($node);
$a->value('SET ROLE analyst; SET idp.epsilon = 1000; SET idp.delta = 1e-9');
$_->{quiet} = 1 foreach $s, $a;

my @known = (
	[ 'weeks from Sunday, of Metabase', q{(date_trunc('week', ("at" + '1 day'::interval)) + '-1 day'::interval)} ],
	[ 'of Superset', q{DATE_TRUNC('week', at + INTERVAL '1 DAY') - INTERVAL '1 DAY'} ],
	[ 'of Looker', q{DATE(DATE_TRUNC('week', (at + INTERVAL '1 DAY')) - INTERVAL '1 DAY')} ],
	[ 'of the zone that is named',
		q{date_trunc('week', at AT TIME ZONE 'Europe/Berlin' + interval '1 day') - interval '1 day'} ],
	[ 'weeks from Saturday, as dates',
		q{(date_trunc('week', at::timestamp + interval '2 days') - interval '2 days')::date} ],
	[ 'the last day of a week', q{date_trunc('week', at) + interval '6 days'} ],
	[ 'years from July', q{date_trunc('year', at + interval '6 months')} ],
	[ 'fiscal years', q{extract(year FROM local + interval '3 months')::int} ],
	[ 'quarters from February', q{date_trunc('quarter', local - interval '1 month') + interval '1 month'} ],
	[ 'weeks of local times', q{(date_trunc('week', local + interval '1 day') - interval '1 day')::date} ],
	[ 'days of another zone, of hours', q{date_trunc('day', hour_at AT TIME ZONE 'America/New_York')} ],
	[ 'months of the session, of hours', q{date_trunc('month', hour_at)} ],
	[ 'hours of the session', q{date_trunc('hour', hour_at)} ],
	[ 'weeks from Sunday of another zone, of hours',
		q{date_trunc('week', hour_at AT TIME ZONE 'Asia/Tokyo' + interval '1 day') - interval '1 day'} ]);
foreach my $case (@known)
{
	my ($name, $key) = @$case;
	my $sql = "SELECT $key AS k, count(*) FROM visits GROUP BY 1";
	my $got = $a->run($sql);
	$s->value('SET ROLE owner');
	my ($columns, $true) = ($s->value("$sql \\gdesc"), $s->value($sql));
	$s->value('RESET ROLE');
	is($got->{message} // difference_but_empty($true, $got->{out}, 0.01), '', "$name: as they are");
	is($a->value("$sql \\gdesc"), $columns, "$name: columns");
	unlike($got->{err} // '', qr/NOTICE/, "$name: no notice");
	my $before = $s->value('SELECT sum(spent) FROM idp.budget');
	is($a->value($sql), $got->{out}, "$name: again");
	is($s->value('SELECT sum(spent) FROM idp.budget'), $before, "$name: for nothing");
}

my @unknown = (
	[ 'hours', q{date_trunc('hour', local)}, 'local', 'days', "date_trunc('day', local)" ],
	[ 'half days', q{date_bin('12 hours', local, timestamp '2025-01-01')}, 'local', 'days',
		"date_trunc('day', local)" ],
	[ 'days of another zone', q{date_trunc('day', at AT TIME ZONE 'Asia/Kolkata')}, 'at', 'days of zone Europe/Berlin',
		"date_trunc('day', at, 'Europe/Berlin')" ],
	[ 'months after hours', q{date_trunc('month', local + interval '13 hours' + interval '1 month')}, 'local', 'days',
		"date_trunc('day', local)" ]);
foreach my $case (@unknown)
{
	my ($name, $key, $column, $cells, $way) = @$case;
	like($a->run("SELECT $key AS k, count(*) FROM visits GROUP BY 1")->{message} // 'answered', qr/group by/,
		"$name: refused without delta");
	my $got = $a->run("SELECT $key AS k, count(*) FROM calls GROUP BY 1");
	like($got->{err},
		qr/NOTICE:.*\Qgroups of few rows are left out, as "$column" is seen by $cells: group by $way or what is coarser, or ask its owner for a finer grain\E/,
		"$name: a notice says what to ask");
}
unlike($a->run("SELECT date_trunc('month', local) AS k, count(*) FROM calls GROUP BY 1")->{err} // '', qr/NOTICE/,
	'none where there are keys');

done_testing();
