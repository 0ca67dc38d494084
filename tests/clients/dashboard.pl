#!/usr/bin/perl
# Opens the dashboard of examples/dashboard in a browser. What its page shows is held against SQL; ten loads cost what one costs.
# Prints TAP. With SCREENSHOT=FILE, a picture of the page is put there.
use strict;
use warnings FATAL => 'all';

use File::Temp qw(tempdir);
use FindBin;
use HTTP::Tiny;
use JSON::PP;
use Test::More;

my $example = "$FindBin::RealBin/../../examples/dashboard";
my $scratch = tempdir(CLEANUP => 1);

sub printed_by
{
	my @command = @_;
	open my $printed, '-|', @command or die "$command[0]: $!\n";
	local $/ = undef;
	my $text = readline($printed) // '';
	close $printed or die "failed: @command\n";
	return $text =~ s/\n\z//r;
}

sub sql
{
	my ($statement, $role) = @_;
	local $ENV{PGUSER} = $role // $ENV{PGUSER};
	return printed_by('psql', '-XAtqc', $statement);
}

sub spent { return sql("SELECT spent FROM idp.budget WHERE table_name = 'customers'") }

# --- the shop, and the server of its dashboard ---

sql("CREATE ROLE dashboard LOGIN PASSWORD '$ENV{PGPASSWORD}'");
printed_by('createdb', 'shop');
$ENV{PGDATABASE} = 'shop';
$ENV{PGOPTIONS} = '-c client_min_messages=error';
printed_by('psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-f', "$example/shop.sql");

my $superuser = $ENV{PGUSER};
$ENV{PGUSER} = 'dashboard';
my $server = open my $announced, '-|', '/usr/bin/python3', "$example/serve.py", '0' or die "serve.py: $!\n";
$ENV{PGUSER} = $superuser;
END
{
	kill 'TERM', $server if $server;
	close $announced if $announced;
}
chomp(my $address = readline($announced) // die "serve.py does not start\n");

# --- the page ---

# The page after its script has run, or a picture of it.
sub opened
{
	return printed_by('sh', '-c', "exec \"\$@\" 2>$scratch/browser.log", 'sh', 'chromium', qw(--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --hide-scrollbars),
		"--user-data-dir=$scratch/browser", '--virtual-time-budget=20000', '--window-size=1100,940', @_, $address);
}

sub bars
{
	my ($page, $id) = @_;
	my ($drawn) = $page =~ /<svg id="$id".*?>(.*?)<\/svg>/s;
	return [ map { [ /data-name="(.*?)"/, /data-value="(.*?)"/, /data-margin="(.*?)"/ ] } ($drawn // '') =~ /<rect.*?>/g ];
}

# Panel, what the page asks, and the same of true rows.
my @panels = (
	[ months => "SELECT to_char(date_trunc('month', o.ordered_at), 'Mon') AS name, count(*) AS value, idp.margin(count(*)) AS margin FROM orders o GROUP BY date_trunc('month', o.ordered_at) ORDER BY date_trunc('month', o.ordered_at)", 12 ],
	[ revenue => 'SELECT o.status AS name, sum(o.amount) AS value, idp.margin(sum(o.amount)) AS margin FROM orders o GROUP BY o.status ORDER BY 2 DESC', 4 ],
	[ amounts => 'SELECT o.amount / 50 * 50 AS name, count(*) AS value, idp.margin(count(*)) AS margin FROM orders o GROUP BY 1 ORDER BY 1', 10 ],
);
sub rows { return [ map { [ split /\|/, $_, -1 ] } split /\n/, $_[0] ] }

diag 'dashboard: ' . printed_by('chromium', '--version') =~ s/ built.*//r;
is(spent(), '0', 'nothing is spent before');
my $page = opened('--dump-dom');
like($page, qr/data-loaded="yes"/, 'the page has drawn its answers');
unlike($page, qr/<div id="error">[^<]/, 'and shows no error');
my $once = spent();
cmp_ok($once, '>', 0, 'they were charged');
like(sql('SELECT unnest(columns) FROM idp.answers LIMIT 1'), qr/./, 'and kept');

foreach my $panel (@panels)
{
	my ($id, $statement, $number) = @$panel;
	my $shown = bars($page, $id);
	is(scalar @$shown, $number, "$id: all are drawn");
	is_deeply($shown, rows(sql($statement, 'dashboard')), "$id: the page shows what SQL gives");
	my %true = map { $_->[0] => $_->[1] } @{ rows(sql($statement =~ s/, idp.margin\(.*?\) AS margin//r)) };
	# one of the 26 noises is farther off than ten margins of 95 % once in 1e11 runs
	is_deeply([ grep { abs($_->[1] - $true{ $_->[0] }) > 10 * $_->[2] } @$shown ], [], "$id: near the truth");
	cmp_ok(abs($shown->[0][2]), '>', 0, "$id: with error bars");
	is(spent(), $once, "$id: asked again by psql, free");
}
my ($left) = $page =~ /<span id="left">(.*?)<\/span>/;
is($left, sprintf('%.1f of %.1f', 20 - $once, 20), 'the budget that is left');

opened("--screenshot=$ENV{SCREENSHOT}") if $ENV{SCREENSHOT};

# --- again, and another question ---

my $http = HTTP::Tiny->new;
sub answers { return decode_json($http->get("${address}answers$_[0]")->{content}) }
my $first = answers('');
is_deeply(answers(''), $first, 'the same numbers again') foreach 1 .. 8;
is(bars(opened('--dump-dom'), 'months')->[0][1], $first->{months}[0]{value}, 'the same in the browser');
is(spent(), $once, 'ten loads cost what one costs');

my $north = answers('?region=North');
cmp_ok($north->{totals}[0]{orders}, '<', $first->{totals}[0]{orders}, 'of a region there are fewer');
my $twice = spent();
cmp_ok($twice, '>', $once, 'another region is another question');
is_deeply(answers('?region=North'), $north, 'which is free again');
is(spent(), $twice, 'and costs nothing');

sql("SELECT idp.protect('customers', $twice, 'add_remove')");
my $refused = $http->get("${address}answers?region=South");
is($refused->{status}, 500, 'when the budget is spent');
like($refused->{content}, qr/^privacy budget of table "customers" is exhausted/, 'the page says so');
is_deeply(answers('')->{months}, $first->{months}, 'and shows what it knows');

done_testing();
