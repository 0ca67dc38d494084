#!/usr/bin/perl
# Makes a site of the pages: each an HTML file where the Markdown file was, with what it links to.
#
#   build.pl DIRECTORY     run from the root of the repository; see scripts/docs.sh
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));

use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Path qw(make_path);
use FindBin;
use lib $FindBin::RealBin;
use Pages qw(headings links resolve slugs slurp);

my ($site) = @ARGV or die "usage: build.pl DIRECTORY\n";

# The way through the site: README.md, and the pages that its last section lists.
my ($list) = slurp('README.md') =~ /^## Documentation\n(.*)/ms;
my @menu = ([ 'idp' => 'README.md' ]);
push @menu, [ $1 => $2 ] while $list =~ /^- \[([^]]+)\]\(([^)]+\.md)\)/gm;
die "README.md lists no pages\n" if @menu < 2;

sub html_name { return $_[0] =~ s{\.md$}{.html}r =~ s{README\.html$}{index.html}r }

# A link from one page to a file of the repository.
sub relative
{
	my ($from, $to) = @_;
	return '../' x ($from =~ tr{/}{}) . $to;
}

sub write_page
{
	my ($page, $html) = @_;
	my $file = "$site/" . html_name($page);
	make_path(dirname($file));
	open my $out, '>', $file or die "$file: $!\n";
	print $out $html;
	close $out or die "$file: $!\n";
	return;
}

sub render
{
	my ($page) = @_;
	open my $in, '-|', 'cmark-gfm', '--unsafe', '--extension', 'table', '--extension', 'autolink', $page
	  or die "cmark-gfm: $!\n";
	local $/;
	my $body = <$in>;
	close $in or die "cmark-gfm failed on $page\n";

	my @slugs = slugs(headings($page));
	my $anchored = () = $body =~ s{<(h[1-6])>}{my $slug = shift @slugs; qq(<$1 id="$slug">)}ge;
	die "$page: headings are counted otherwise than by cmark-gfm\n" if @slugs;
	$body =~ s{(href="(?!https?:|mailto:)[^"#]*)\.md(?=["#])}{html_name("$1.md")}ge;
	$body =~ s{<table>}{<div class="table"><table>}g;
	$body =~ s{</table>}{</table></div>}g;

	my ($title) = headings($page);
	my $menu = join "\n", map
	{
		my ($name, $to) = @$_;
		my $here = $to eq $page ? ' aria-current="page"' : '';
		sprintf '<a href="%s"%s>%s</a>', relative($page, html_name($to)), $here, $name;
	} @menu;
	my $style = relative($page, 'style.css');
	return <<"HTML";
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<link rel="stylesheet" href="$style">
</head>
<body>
<nav>
$menu
</nav>
<main>
$body</main>
</body>
</html>
HTML
}

# Every page that can be reached, and every other file that one links to.
my @todo = map { $_->[1] } @menu;
my %done;
while (defined(my $file = shift @todo))
{
	next if $done{$file}++;
	if ($file =~ /\.md$/)
	{
		write_page($file, render($file));
		push @todo, map { (resolve($file, $_))[0] } links($file);
	}
	elsif (-f $file)
	{
		make_path(dirname("$site/$file"));
		copy($file, "$site/$file") or die "$file: $!\n";
	}
	else { die "a page links to $file, which cannot be shown\n" }
}
copy("$FindBin::RealBin/style.css", "$site/style.css") or die "style.css: $!\n";

# No link of the site leads nowhere.
my (%ids, @dead);
foreach my $page (map { html_name($_) } grep { /\.md$/ } keys %done)
{
	foreach my $link (slurp("$site/$page") =~ /(?:href|src)="([^"]*)"/g)
	{
		next if $link =~ /^(https?|mailto):/;
		my ($target, $anchor) = resolve($page, $link);
		if (!-f "$site/$target") { push @dead, "$page: $link" }
		elsif (defined $anchor)
		{
			$ids{$target} //= { map { $_ => 1 } slurp("$site/$target") =~ / id="([^"]*)"/g };
			push @dead, "$page: $link" unless $ids{$target}{$anchor};
		}
	}
}
die map { "a dead link: $_\n" } @dead if @dead;
