# Conditions of plain SQL see instants by the cells of their grain: as the start of the cell, unless they are compared
# with what a cell begins with. So one question is asked all day, by constants, by parameters and by what follows the
# time; and days are compared with times as the server does it.
#
#   IDP_CELL_SEED         of the constants
#   IDP_CELL_CONDITIONS   how many conditions
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $seed = $ENV{IDP_CELL_SEED} // 1;
srand $seed;
note "seed $seed";

my $node = new_node('cell_comparisons', 'jit = off', "session_preload_libraries = 'idp'", "timezone = 'UTC'");
my $s = session($node);
my %grains = (hours => '1 hour', days => '1 day', weeks => '1 week', months => '1 month');
my @zones = ('UTC', 'Europe/Berlin', 'America/New_York');
$s->value('CREATE ROLE analyst LOGIN; CREATE TABLE kinds (id int PRIMARY KEY); INSERT INTO kinds VALUES (1); '
	  . 'GRANT SELECT ON kinds TO analyst');
# instants of each hour, and those that days begin with in each zone
foreach my $table (keys %grains)
{
	my $zone = $table eq 'days' ? 'Europe/Berlin' : 'UTC';
	$s->value(<<"SQL");
CREATE TABLE $table (id int PRIMARY KEY, at timestamp NOT NULL, tz timestamptz NOT NULL, day date NOT NULL,
  kind int NOT NULL DEFAULT 1);
INSERT INTO $table SELECT i, t, t AT TIME ZONE 'UTC', t::date FROM generate_series(1, 6000) i,
  LATERAL (SELECT timestamp '2025-03-01' + (i * 7 % 2400) * interval '1 hour' + (i % 2)
    * interval '13 minutes 1 microsecond' AS t) q;
INSERT INTO $table SELECT 10000 + i, t, t AT TIME ZONE 'Europe/Berlin', t::date
  FROM generate_series(0, 99) i, LATERAL (SELECT timestamp '2025-03-01' + i * interval '1 day' AS t) q;
SELECT idp.protect('$table', 1e12, 'add_remove', repeat => 'forever'),
  idp.set_domain('$table', 'day', '2025-02-01', '2025-08-01'),
  idp.set_domain('$table', 'at', '2025-01-01', '2026-01-01', grain => '$grains{$table}'),
  idp.set_domain('$table', 'tz', '2025-01-01', '2026-01-01', grain => '$grains{$table}', zone => '$zone');
GRANT SELECT ON $table TO analyst;
SQL
}
my $a = session($node);
$a->value('SET ROLE analyst; SET idp.epsilon = 1000000');
$_->{quiet} = 1 foreach $s, $a;

sub one { return $_[ rand @_ ] }
sub spent { return $s->value('SELECT sum(spent) FROM idp.budget') }

sub instant
{
	my ($grain) = @_;
	return sprintf '2025-0%d-%02d', 3 + int rand 4, 1 + int rand 28 if rand() < 0.2;
	return sprintf '2025-0%d-%02d %02d:00', 3 + int rand 4, 1 + int rand 28, int rand 24 if rand() < 0.3;
	return sprintf '2025-0%d-%02d %02d:%02d:%02d.%03d', 3 + int rand 4, 1 + int rand 28, map { int rand $_ }
	  24, 60, 60, 1000;
}

# What a condition means: of a constant that a cell begins with what it says, of others that cells are compared.
sub meant
{
	my ($table, $column, $op, $constant) = @_;
	return "$column $op $constant" if $column eq 'day';
	my ($unit) = $grains{$table} =~ /(\w+)$/;
	my $zone = $column eq 'at' ? '' : $table eq 'days' ? ", 'Europe/Berlin'" : ", 'UTC'";
	my $type = $column eq 'at' ? 'timestamp' : 'timestamptz';
	my $cell = "date_trunc('$unit', $column$zone)";
	return "CASE WHEN date_trunc('$unit', $constant\:\:$type$zone) = $constant\:\:$type THEN $column "
	  . "ELSE $cell END $op $constant";
}

my $forms = $ENV{IDP_CELL_CONDITIONS} // 400;
my (%seen, @wrong);
foreach my $i (1 .. $forms)
{
	my $table = one(sort keys %grains);
	my $column = one('at', 'tz', 'day');
	my $op = one('<', '<=', '>', '>=');
	my $zone = one(@zones);
	$_->value("SET timezone = '$zone'") foreach $s, $a;
	my $type = $column eq 'day' ? one('timestamp', 'timestamptz') : one('timestamp', 'timestamptz', 'date');
	my $instant = instant();
	$instant =~ s/ .*// if $type eq 'date';
	my $constant = "$type '$instant'";
	my $form = one('constant', 'time', 'parameter', 'generic', 'turned', 'filter', 'subquery', 'join', 'difference',
		'zone', 'midnight');
	# what follows the time is no constant when the statement is planned
	my $stated = $form eq 'time' && $type ne 'date' ? "($constant + (now() - now()))" : $constant;
	$form = 'constant' if $form eq 'difference' && $type eq 'date' || $form eq 'zone' && ($column ne 'tz'
		  || $type ne 'timestamptz') || $form eq 'midnight' && ($column ne 'day' || $type ne 'timestamp');
	my $of_table = $table eq 'days' ? 'Europe/Berlin' : 'UTC';
	# the 77 hours of a difference are added before the zone of the session makes an instant of a timestamp: one of them
	# may be left out
	my $compared = $form eq 'difference' && $column eq 'tz' && $type eq 'timestamp'
	  ? "(($constant + interval '77 hours')::timestamptz - interval '77 hours')" : $constant;
	my $truth = $s->value("SELECT count(*) FROM $table WHERE " . meant($table, $column, $op, $compared));
	my %turned = ('<' => '>', '<=' => '>=', '>' => '<', '>=' => '<=');
	my $sql =
	    $form eq 'turned' ? "SELECT count(*) FROM $table WHERE $stated $turned{$op} $column"
	  : $form eq 'filter' ? "SELECT count(*) FILTER (WHERE $column $op $stated) FROM $table"
	  : $form eq 'subquery' ? "SELECT count(*) FROM (SELECT $column AS c FROM $table ORDER BY id) q WHERE c $op $stated"
	  : $form eq 'difference' ? "SELECT count(*) FROM $table "
	  . "WHERE ($stated + interval '77 hours') - $column $turned{$op} interval '3 days 5 hours'"
	  : $form eq 'zone'
	  ? "SELECT count(*) FROM $table WHERE $column AT TIME ZONE '$of_table' $op $stated AT TIME ZONE '$of_table'"
	  : $form eq 'midnight' ? "SELECT count(*) FROM $table WHERE day::timestamp $op $stated"
	  : $form eq 'join' ? "SELECT count(*) FROM $table JOIN kinds k ON k.id = kind AND $column $op $stated"
	  : "SELECT count(*) FROM $table WHERE $column $op $stated";
	if ($form =~ /parameter|generic/)
	{
		$a->value('SET plan_cache_mode = ' . ($form eq 'generic' ? 'force_generic_plan' : 'auto'));
		$a->value("PREPARE p ($type) AS SELECT count(*) FROM $table WHERE $column $op \$1");
		$sql = "EXECUTE p ('$instant')";
	}
	my $got = $a->run($sql);
	my $before = spent();
	my $again = $a->run($sql);
	my $charged = spent() - $before;
	$a->value('DEALLOCATE p; RESET plan_cache_mode') if $form =~ /parameter|generic/;
	my $out = $got->{message} // $got->{out};
	$seen{$form}++;
	push @wrong, "$form of $table in $zone: $column $op $constant: $out for $truth, again $charged: $sql"
	  if $out ne $truth || $charged != 0;
}
is(scalar @wrong, 0, "$forms conditions mean what they say, by cells: " . join ', ',
	map { "$_ $seen{$_}" } sort keys %seen);
diag $_ foreach splice @wrong, 0, 10;

# --- one question all day ---

$_->value("SET timezone = 'UTC'") foreach $s, $a;
$a->value('SELECT count(*) FROM days WHERE at BETWEEN \'2025-03-04 10:11:12.345\' AND \'2025-04-04 10:11:12.345\'');
my $before = spent();
foreach my $again ("at BETWEEN '2025-03-04 10:11:12.346' AND '2025-04-04 10:11:12.346'",
	"at >= '2025-03-04 23:59:59.999999' AND at <= '2025-04-04 00:00:00.000001'")
{
	my $got = $a->run("SELECT count(*) FROM days WHERE $again");
	is(spent(), $before, "the same question: $again");
	like($got->{err}, qr/NOTICE:.*conditions see each "at" as the start of its day\b.*HINT:.*finer grain/s,
		'... and a notice');
}
$a->value("PREPARE p (timestamp, timestamp) AS SELECT count(*) FROM days WHERE at BETWEEN \$1 AND \$2");
foreach my $mode (qw(force_custom_plan force_generic_plan))
{
	$a->value("SET plan_cache_mode = $mode; EXECUTE p ('2025-03-04 01:00', '2025-04-04 02:00')");
	is(spent(), $before, "... by parameters: $mode");
}
on_one_day($a, 30, 'Europe/Berlin');
foreach my $sliding ("tz >= now() - interval '600 days'", "at > localtimestamp - interval '600 days'",
	"now() - interval '600 days' <= at", "day >= now() - interval '600 days'", "now() - tz < interval '600 days'",
	"now() - day <= '600 days'",
	"tz AT TIME ZONE 'Europe/Berlin' > now() AT TIME ZONE 'Europe/Berlin' - interval '600 days'",
	"day::timestamp >= localtimestamp - interval '600 days'", "tz BETWEEN now() - interval '600 days' AND now()")
{
	my $sql = "SELECT count(*) FROM days WHERE $sliding";
	$a->value($sql);
	$before = spent();
	$a->value($sql);
	is(spent(), $before, "the same question: $sliding");
}
# what says cells already, and what is not of them, is left alone
foreach my $plain ("at >= '2025-03-04'", "tz < timestamptz '2025-03-04 00:00 Europe/Berlin'",
	"at >= date_trunc('month', now())", "at = '2025-03-04 10:00'", 'day > current_date', "at >= 'infinity'",
	"at >= NULL::timestamp")
{
	unlike($a->run("SELECT count(*) FROM days WHERE $plain")->{err} // '', qr/NOTICE|ERROR/, "no notice: $plain");
}
# no key is left of a day that is cut
is($a->value("SELECT at::date FROM days WHERE at > '2025-03-04 10:00' AND at <= '2025-03-06 10:00' "
	  . "GROUP BY 1 ORDER BY 1"), "2025-03-05\n2025-03-06", 'keys are those of the condition');
# private aggregates are asked for as they are written
is($a->value("SELECT dp_count(1000000) FROM days WHERE at >= '2025-03-04 10:00'"),
	$s->value("SELECT count(*) FROM days WHERE at >= '2025-03-04 10:00'"), 'not beside private aggregates');
is($s->run("SELECT count(*) FROM days WHERE at >= '2025-03-04 10:00'")->{err} // '', '',
	'nor for those who see all rows');

done_testing();
